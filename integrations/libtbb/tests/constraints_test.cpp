// Arenas whose threads may use some of the processors: NUMA nodes, core types, threads per core.
// What there is to tell apart depends on the machine: tests/machines runs these on emulated ones.
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "oneapi/tbb.h"

namespace {

using tbb::task_arena;

// The processors that the calling thread may use.
std::set<int> allowed() {
  cpu_set_t mask;
  EXPECT_EQ(::sched_getaffinity(0, sizeof mask, &mask), 0);
  std::set<int> found;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &mask)) found.insert(cpu);
  return found;
}

std::set<int> allowed_in(task_arena& arena) {
  return arena.execute([] { return allowed(); });
}

std::vector<task_arena::constraints> all_constraints() {
  std::vector<task_arena::constraints> all{{}};
  const auto add = [&](auto set, const auto& values) {
    const std::size_t before = all.size();
    for (std::size_t i = 0; i < before; ++i)
      for (const int value : values) {
        auto c = all[i];
        all.push_back((c.*set)(value));
      }
  };
  add(&task_arena::constraints::set_numa_id, tbb::info::numa_nodes());
  add(&task_arena::constraints::set_core_type, tbb::info::core_types());
  add(&task_arena::constraints::set_max_threads_per_core, std::vector<int>{1});
  return all;
}

TEST(Constraints, AnArenaHasAsManyThreadsAsTheyLeaveProcessors) {
  const std::set<int> before = allowed();
  const bool nodes_differ = tbb::info::numa_nodes().size() > 1;
  const bool types_differ = tbb::info::core_types().size() > 1;
  for (const auto& c : all_constraints()) {
    task_arena arena(c);
    const int processors = tbb::info::default_concurrency(c);
    EXPECT_EQ(arena.max_concurrency(), processors);  // before it is made, and then
    arena.initialize();
    EXPECT_EQ(arena.max_concurrency(), processors);
    const bool binds = (c.numa_id >= 0 && nodes_differ) || (c.core_type >= 0 && types_differ) ||
                       c.max_threads_per_core > 0;
    const std::set<int> inside = allowed_in(arena);
    if (binds)
      EXPECT_EQ(inside.size(), static_cast<std::size_t>(processors));
    else
      EXPECT_EQ(inside, before);
    EXPECT_EQ(allowed(), before);
  }
}

TEST(Constraints, NodesShareOutTheProcessors) {
  const std::vector<int> nodes = tbb::info::numa_nodes();
  if (nodes.size() < 2) GTEST_SKIP() << "one node";
  const std::set<int> before = allowed();
  std::set<int> together;
  std::size_t sum = 0;
  for (const int node : nodes) {
    task_arena arena(task_arena::constraints{}.set_numa_id(node));
    const std::set<int> here = allowed_in(arena);
    EXPECT_EQ(here.size(), static_cast<std::size_t>(tbb::info::default_concurrency(node)));
    sum += here.size();
    together.insert(here.begin(), here.end());
  }
  EXPECT_EQ(together, before);
  EXPECT_EQ(sum, before.size());
}

// The machine that hwloc is to see in place of this one: two of its processors, of two types.
constexpr const char* other_machine = "HWLOC_XMLFILE";

TEST(Constraints, CoreTypesShareOutTheProcessors) {
  if (std::getenv(other_machine) == nullptr) GTEST_SKIP() << "OfCoreTypes runs this";
  const std::vector<tbb::core_type_id> types = tbb::info::core_types();
  ASSERT_EQ(types.size(), 2u);
  std::set<int> together;
  for (const tbb::core_type_id type : types) {
    task_arena arena(task_arena::constraints{}.set_core_type(type));
    EXPECT_EQ(arena.max_concurrency(), 1);
    together.merge(allowed_in(arena));
  }
  EXPECT_EQ(together.size(), 2u);
}

// A set as hwloc writes it: words of 32 processors, the highest first.
std::string set_of(std::initializer_list<int> processors) {
  std::string words;
  for (int word = std::max(processors) / 32; word >= 0; --word) {
    unsigned bits = 0;
    for (const int p : processors) bits |= p / 32 == word ? 1u << (p % 32) : 0;
    char text[16];
    std::snprintf(text, sizeof text, "%s0x%08x", words.empty() ? "" : ",", bits);
    words += text;
  }
  return words;
}

std::string two_types_of(int slower, int faster) {
  const auto object = [](const std::string& type, int number, const std::string& set) {
    std::string text = "<object type=\"" + type + "\" os_index=\"" + std::to_string(number) + "\"";
    for (const char* which : {" ", " complete_", " allowed_"})
      text.append(which).append("cpuset=\"" + set + "\"").append(which).append("nodeset=\"0x1\"");
    return text + ">";
  };
  const std::string end = "</object>";
  const std::string both = set_of({slower, faster});
  std::string cores;
  std::string kinds;
  for (const int p : {slower, faster}) {
    const std::string one = set_of({p});
    cores += object("Core", p, one) + object("PU", p, one) + end + end;
    kinds +=
        "<cpukind cpuset=\"" + one + "\" forced_efficiency=\"" + (p == faster ? "1" : "0") + "\"/>";
  }
  return "<topology version=\"2.0\">" + object("Machine", 0, both) + object("Package", 0, both) +
         object("NUMANode", 0, both) + end + cores + end + end + kinds + "</topology>";
}

void allow(const std::set<int>& processors) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (const int p : processors) CPU_SET(p, &mask);
  ASSERT_EQ(::sched_setaffinity(0, sizeof mask, &mask), 0);
}

TEST(Constraints, OfCoreTypes) {
  const std::set<int> here = allowed();
  if (here.size() < 2 || std::getenv(other_machine) != nullptr) GTEST_SKIP();
  const std::string file = testing::TempDir() + "core-types-" + std::to_string(::getpid()) + ".xml";
  std::ofstream(file) << two_types_of(*here.begin(), *here.rbegin());
  const std::string command = std::string(other_machine) + "=" + file + " HWLOC_THISSYSTEM=1 " +
                              std::filesystem::canonical("/proc/self/exe").string() +
                              " --gtest_filter='Constraints.*' --gtest_brief=1";
  allow({*here.begin(), *here.rbegin()});
  EXPECT_EQ(std::system(command.c_str()), 0);
  allow(here);
  std::filesystem::remove(file);
}

TEST(Constraints, EveryThreadOfAnArenaIsBoundWhileItIsThere) {
  for (const auto& c : all_constraints()) {
    task_arena arena(c);
    const std::set<int> wanted = allowed_in(arena);
    std::mutex lock;
    std::set<std::thread::id> threads;
    std::atomic<int> wrong{0};
    arena.execute([&] {
      tbb::parallel_for(
          0, 24,
          [&](int) {
            if (allowed() != wanted) ++wrong;
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            const std::lock_guard held(lock);
            threads.insert(std::this_thread::get_id());
          },
          tbb::simple_partitioner());
    });
    EXPECT_EQ(wrong, 0) << "of " << threads.size() << " threads";
  }
}

TEST(Constraints, ArenasNest) {
  const std::set<int> before = allowed();
  task_arena outer(task_arena::constraints{}.set_max_threads_per_core(1));
  const std::set<int> of_outer = allowed_in(outer);
  for (const int node : tbb::info::numa_nodes()) {
    task_arena inner(task_arena::constraints{}.set_numa_id(node).set_max_threads_per_core(1));
    const std::set<int> of_inner = allowed_in(inner);
    outer.execute([&] {
      EXPECT_EQ(allowed(), of_outer);
      inner.execute([&] { EXPECT_EQ(allowed(), of_inner); });
      EXPECT_EQ(allowed(), of_outer);
    });
  }
  EXPECT_EQ(allowed(), before);
}

TEST(ConstraintsDeathTest, OfANodeThatThereIsNot) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";  // there are threads already
  const auto nowhere = task_arena::constraints{}.set_numa_id(1000);
  EXPECT_DEATH(static_cast<void>(tbb::info::default_concurrency(nowhere)), "numa_id");
}

}  // namespace
