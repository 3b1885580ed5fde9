// Arenas whose threads may use some of the processors: NUMA nodes, core types, threads per core.
// What there is to tell apart depends on the machine: tests/machines runs these on emulated ones.
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
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
