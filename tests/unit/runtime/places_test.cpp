// Places: what is given to one runs there if it can, and somewhere in any case (heist/places.hpp).
// The nodes are made up: this machine's processors, dealt out to several.
#include "heist/places.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "heist/heist.hpp"
#include "platform/cpu_count.hpp"
#include "platform/nodes.hpp"
#include "tests/unit/platform/temporary_tree.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

using heist::placement_kind;
using heist::platform::affinity_cpus;
using heist::platform::numa_node;
using heist::platform::usable_nodes;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(UsableNodes, AreThoseWithProcessorsOfTheMask) {
  const int cpu = affinity_cpus().front();
  const std::string own = std::to_string(cpu);
  temporary_tree tree;
  tree.write("/has_cpu", "1,4-5\n");
  tree.write("/node1/cpulist", own + "\n");
  tree.write("/node4/cpulist", "100000-100003," + own + "\n");
  tree.write("/node5/cpulist", "100004\n");  // not of the mask
  const auto nodes = usable_nodes(tree.root());
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0].number, 1);
  EXPECT_EQ(nodes[1].number, 4);
  EXPECT_THAT(nodes[1].cpus, ElementsAre(cpu));
}

TEST(UsableNodes, AreOneWhereTheSystemTellsNothingThatMakesSense) {
  for (const char* text : {"", "x", "3-1", "0-", "-1", "0-99999999999"}) {
    temporary_tree tree;
    tree.write("/has_cpu", text);
    const auto nodes = usable_nodes(tree.root());
    ASSERT_EQ(nodes.size(), 1U) << text;
    EXPECT_EQ(nodes[0].cpus, affinity_cpus()) << text;
  }
  EXPECT_EQ(usable_nodes("/nonexistent").size(), 1U);
}

// So many nodes, each with all processors: so any worker may run at any time.
class Places : public testing::TestWithParam<unsigned> {
 protected:
  Places() {
    std::vector<numa_node> nodes;
    for (unsigned k = 0; k < GetParam(); ++k)
      nodes.push_back({static_cast<int>(k), affinity_cpus()});
    heist::platform::set_nodes_for_test(nodes);
  }
  ~Places() override { heist::platform::set_nodes_for_test({}); }

  [[nodiscard]] static heist::pool_config by_node(unsigned workers) {
    return {.workers = workers, .placement = placement_kind::by_node};
  }
  const std::size_t real_nodes_ = (heist::platform::set_nodes_for_test({}), usable_nodes().size());
  const watchdog guard_{"places"};
};

TEST_P(Places, AreThePoolsOwn) {
  const unsigned places = GetParam();
  heist::pool pool(by_node(2 * places));
  pool.run([&] {
    EXPECT_EQ(heist::place_count(), places);
    EXPECT_LT(heist::this_place(), places);
  });
  heist::pool small(by_node(1));
  EXPECT_EQ(small.run([] { return heist::place_count(); }), 1U) << "nobody works at the others";
  heist::pool free({.workers = 2});
  EXPECT_EQ(free.run([] { return heist::place_count(); }), 1U);
  EXPECT_EQ(heist::place_count(), 1U);
  EXPECT_EQ(heist::this_place(), 0U);
}

TEST_P(Places, BeginWhatIsGivenToThem) {
  const unsigned places = GetParam();
  heist::pool pool(by_node(2 * places));
  for (unsigned k = 0; k < places; ++k)
    EXPECT_TRUE(eventually([&] {
      return pool.run([&] { return heist::run_at(k, [] { return heist::this_place(); }) == k; });
    })) << k;
}

TEST_P(Places, HelpOneAnother) {
  const unsigned places = GetParam();
  heist::pool pool(by_node(places));  // one worker each
  if (places == 1) GTEST_SKIP() << "nobody is left to help";
  // The one that waits for the others keeps its place from what comes to it.
  std::atomic<unsigned> done{0};
  pool.run([&] {
    heist::fork_join(
        [&] {
          while (done.load() < places) std::this_thread::yield();
        },
        [&] {
          for (unsigned k = 0; k < places; ++k) heist::run_at(k, [&] { ++done; });
        });
  });
  EXPECT_EQ(done.load(), places);
}

TEST_P(Places, ReturnWhatTheFunctionReturnsAndThrowWhatItThrows) {
  heist::pool pool(by_node(2 * GetParam()));
  pool.run([&] {
    const unsigned other = (heist::this_place() + 1) % GetParam();
    int value = 1;
    EXPECT_EQ(&heist::run_at(other, [&]() -> int& { return value; }), &value);
    EXPECT_EQ(*heist::run_at(other, [] { return std::make_unique<int>(7); }), 7);
    EXPECT_THROW(heist::run_at(other, [] { throw std::runtime_error("from there"); }),
                 std::runtime_error);
    EXPECT_EQ(heist::run_at(GetParam() + 5, [] { return 3; }), 3) << "no such place";
    EXPECT_THROW(heist::for_each_place([](unsigned k) {
                   if (k + 1 == GetParam()) throw std::runtime_error("the last one");
                 }),
                 std::runtime_error);
  });
  EXPECT_EQ(heist::run_at(1, [] { return 4; }), 4) << "outside of pools";
  EXPECT_TRUE(pool.run([] {
    return heist::with(heist::policy::serial, [] {
      const unsigned here = heist::this_place();
      return heist::run_at((here + 1) % GetParam(), [&] { return heist::this_place() == here; });
    });
  })) << "where forks are calls";
}

TEST_P(Places, AreEachVisitedOnce) {
  heist::pool pool(by_node(2 * GetParam() + 1));
  for (int round = 0; round < scaled(200); ++round) {
    std::vector<std::atomic<int>> visits(GetParam());
    pool.run([&] { heist::for_each_place([&](unsigned k) { ++visits[k]; }); });
    for (const auto& each : visits) ASSERT_EQ(each.load(), 1);
    if (round % 20 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));  // all sleep
  }
}

TEST_P(Places, RunEachIndexOnce) {
  heist::pool pool(by_node(2 * GetParam()));
  pool.run([&] {
    for (const std::size_t n : {0UL, 1UL, 2UL, 3UL, 7UL, 1000UL, 10007UL}) {
      std::vector<std::atomic<char>> seen(n);
      heist::parallel_for(
          std::size_t{0}, n, [&](std::size_t i) { ++seen[i]; }, heist::by_place{});
      EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](auto& c) { return c.load() == 1; }));
    }
    std::atomic<int> calls{0};
    heist::parallel_for(
        -3, 4, [&](int) { ++calls; }, heist::by_place{});
    EXPECT_THROW(heist::parallel_for(
                     4, -3, [&](int) { ++calls; }, heist::by_place{}),
                 heist::usage_error);
    EXPECT_THROW(heist::parallel_for(
                     0, 100,
                     [](int i) {
                       if (i == 30 || i == 90) throw i;
                     },
                     heist::by_place{}),
                 int);
    constexpr auto last = std::numeric_limits<std::int64_t>::max();
    heist::parallel_for(
        last - 5, last, [&](std::int64_t) { ++calls; }, heist::by_place{});
    EXPECT_EQ(calls.load(), 12);
  });
}

TEST_P(Places, AreNestedInOtherWork) {
  heist::pool pool(by_node(8));
  std::atomic<std::int64_t> sum{0};
  pool.run([&] {
    heist::parallel_for(0, scaled(200), [&](int i) {
      heist::for_each_place([&](unsigned k) {
        heist::parallel_for(0, 10, [&](int j) {
          sum += heist::run_at((k + 1) % GetParam(), [&] { return i + j; });
        });
      });
    });
  });
  const std::int64_t n = scaled(200);
  EXPECT_EQ(sum.load(), GetParam() * (10 * (n * (n - 1) / 2) + n * 45));
}

TEST_P(Places, KnowWherePagesLie) {
  heist::pool pool(by_node(2 * GetParam()));
  heist::interleaved_allocator<int> pages;
  constexpr std::size_t n = 1 << 16;
  int* const memory = pages.allocate(n);
  pool.run([&] {
    if (GetParam() > 1) {
      EXPECT_EQ(heist::place_of(memory), heist::place_count()) << "nobody has touched it";
    }
    std::iota(memory, memory + n, 0);
    if (real_nodes_ == 1) {
      EXPECT_EQ(heist::place_of(memory), 0U);
    }
    const auto value = [&] { return memory[1]; };
    const auto [near, far] =
        heist::fork_join(heist::near(memory, value), heist::near(nullptr, value));
    EXPECT_EQ(near + far, 2);
  });
  pages.deallocate(memory, n);
  const std::vector<int, heist::interleaved_allocator<int>> v(1000, 5);
  EXPECT_EQ(std::accumulate(v.begin(), v.end(), 0), 5000);
}

INSTANTIATE_TEST_SUITE_P(OneToFour, Places, testing::Values(1U, 2U, 4U),
                         testing::PrintToStringParamName());

TEST(PoolsOfANode, UseItsProcessorsOnly) {
  const auto cpus = affinity_cpus();
  heist::platform::set_nodes_for_test({{0, {cpus.front()}}, {3, {cpus.back()}}});
  {
    heist::pool pool({.placement = placement_kind::by_node, .node = 1});
    EXPECT_EQ(pool.workers(), 1U);
    EXPECT_THAT(pool.run([] { return affinity_cpus(); }), ElementsAre(cpus.back()));
    EXPECT_EQ(pool.run([] { return heist::place_count(); }), 1U);
    heist::pool three({.workers = 3, .placement = placement_kind::by_node, .node = 0});
    EXPECT_EQ(three.workers(), 3U);
  }
  for (const int node : {2, -2, 1000000}) try {
      heist::pool pool({.placement = placement_kind::by_node, .node = node});
      ADD_FAILURE() << node;
    } catch (const heist::usage_error& e) {
      EXPECT_THAT(e.what(), HasSubstr("pool_config::node = " + std::to_string(node) +
                                      ": must be from 0 to 1, or -1 for all nodes"));
    }
  EXPECT_THROW(heist::pool({.node = 0}), heist::usage_error) << "not by node";
  heist::platform::set_nodes_for_test({});
}

TEST(PlacesOfThisMachine, HaveInterleavedPagesInTurns) {
  if (usable_nodes().size() < 2) GTEST_SKIP() << "one node";
  heist::pool pool({.placement = placement_kind::by_node});
  constexpr std::size_t page = 4096, pages = 64;
  heist::interleaved_allocator<char> all;
  char* const memory = all.allocate(page * pages);
  pool.run([&] {
    std::vector<std::size_t> at(heist::place_count() + 1);
    for (std::size_t i = 0; i < pages; ++i) {
      memory[i * page] = 1;
      ++at[heist::place_of(&memory[i * page])];
    }
    for (unsigned k = 0; k < heist::place_count(); ++k)
      EXPECT_EQ(at[k], pages / heist::place_count()) << k;
  });
  all.deallocate(memory, page * pages);
}

// On a machine with several nodes: an array lies where the loops use it that touched it first.
TEST(PlacesOfThisMachine, HaveTheirPagesAndTheirWork) {
  if (usable_nodes().size() < 2) GTEST_SKIP() << "one node";
  heist::pool pool({.placement = placement_kind::by_node});
  constexpr std::size_t page = 4096, pages = 4096;
  constexpr int loops = 12;  // one wakes the workers, one touches the memory first
  const auto share_at_home = [&](const auto& loop) {
    const std::unique_ptr<char[]> memory(new char[page * pages]);
    std::atomic<std::size_t> at_home{0};
    pool.run([&] {
      for (int k = 0; k < loops; ++k)
        loop([&](std::size_t i) {
          if (k > 0) memory[i * page] = 1;
          const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(20);
          while (std::chrono::steady_clock::now() < until) {
          }
          if (k > 1 && heist::place_of(&memory[i * page]) == heist::this_place()) ++at_home;
        });
    });
    return static_cast<double>(at_home.load()) / (pages * (loops - 2));
  };
  const double near = share_at_home([](const auto& body) {
    heist::parallel_for(std::size_t{0}, pages, body, heist::by_place{});
  });
  const double far =
      share_at_home([](const auto& body) { heist::parallel_for(std::size_t{0}, pages, body); });
  std::printf("pages used at their own place: %.2f by placed loops, %.2f by others\n", near, far);
  // Half of them by chance. Where many emulated processors share a real one, a worker has none for
  // longer than those of other places wait for it.
  if (pool.workers() <= 4) {
    EXPECT_GT(near, 0.55);
  }
}

}  // namespace
}  // namespace heist_test
