// The workloads whose answer is one published number, and the programs of nothing but jobs.
#include "check_workload.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>

#include <heist/error.hpp>

#include "tests/unit/platform/sanitizers.hpp"
#include "workloads/fib/fib.hpp"
#include "workloads/graph_walk/graph_walk.hpp"
#include "workloads/hashing.hpp"
#include "workloads/integrate/integrate.hpp"
#include "workloads/knapsack/knapsack.hpp"
#include "workloads/nqueens/nqueens.hpp"
#include "workloads/skynet/skynet.hpp"
#include "workloads/uts/count.hpp"

using namespace heist::workloads;

TEST(Fib, GivesTheKnownNumbers) {
  EXPECT_EQ(fib_serial(0), 0);
  EXPECT_EQ(fib_serial(1), 1);
  EXPECT_EQ(fib_serial(25), 75025);
  EXPECT_EQ(fib(0), 0);
  EXPECT_EQ(fib(1), 1);
  EXPECT_EQ(fib(25), 75025);
}

TEST(Fib, CountsItsForks) {
  const auto instance = make_instance("fib", {{"n", "5"}});
  EXPECT_EQ(instance->work().items, 7);  // calls with 5, 4, 3, 3 and three times 2
}

TEST(NQueens, GivesTheKnownCounts) {
  const std::uint64_t known[] = {1, 0, 0, 2, 10, 4, 40, 92, 352, 724};
  for (unsigned n = 1; n <= 10; ++n) {
    const auto board = chessboard::empty(n);
    EXPECT_EQ(count_boards_serially(board), known[n - 1]) << n << " queens";
    for (const unsigned cutoff : {0u, 3u, 20u})
      EXPECT_EQ(count_boards(board, board.free(), cutoff, forked{}), known[n - 1])
          << n << " queens, cutoff " << cutoff;
  }
}

TEST(Registry, FindsEveryWorkloadByItsName) {
  EXPECT_EQ(all().size(), 29u);
  for (const auto* workload : all()) {
    EXPECT_EQ(find(workload->name()), workload);
    EXPECT_FALSE(workload->summary().empty());
  }
  EXPECT_EQ(find("fibb"), nullptr);
}

TEST(EmptyJobs, RunExactlyOnceOnEveryPool) {
  for (const auto* jobs : {"0", "1", "500"})
    for (const auto* rounds : {"0", "1", "3"})
      expect_same_result_everywhere(
          *make_instance("empty_jobs", {{"jobs", jobs}, {"rounds", rounds}}));
}

// A job system's ring has room for some thousands of jobs; the others are called at once.
TEST(EmptyJobs, RunExactlyOnceIfThereAreMoreThanTheRingHolds) {
  expect_same_result_everywhere(*make_instance("empty_jobs", {{"jobs", "10000"}, {"rounds", "1"}}));
}

TEST(EmptyJobs, AreMissedIfTheyDidNotRun) {
  const auto instance = make_instance("empty_jobs", {{"jobs", "10"}});
  instance->reset();
  EXPECT_NE(instance->mistake(), std::nullopt);
}

TEST(JobLoop, UpdatesExactlyOnceOnEveryPool) {
  for (const auto* elements : {"0", "1", "1000"})
    for (const auto* part : {"1", "64", "5000"})
      expect_same_result_everywhere(
          *make_instance("job_loop", {{"elements", elements}, {"part", part}, {"rounds", "2"}}),
          true);
}

TEST(JobLoop, NoticesAnUpdateThatIsMissing) {
  const auto instance = make_instance("job_loop", {{"elements", "10"}});
  instance->reset();
  EXPECT_NE(instance->mistake(), std::nullopt);
}

TEST(Jobs, RefuseBadOptions) {
  EXPECT_THROW(make_instance("empty_jobs", {{"jobs", "-1"}}), heist::usage_error);
  EXPECT_THROW(make_instance("job_loop", {{"part", "0"}}), heist::usage_error);
  EXPECT_THROW(make_instance("job_loop", {{"elements", "1099511627776"}}), heist::resource_error);
}

// ---- The tree search: its hash, its published counts, and how deep its recursion goes.

namespace {

const sample_tree& sample(std::string_view name) {
  for (const auto& each : sample_trees())
    if (each.parameters.name == name) return each;
  throw std::logic_error("no such tree");
}

// Forks like the serial form, and records the deepest nesting of forks.
struct measuring {
  static constexpr bool is_parallel = true;
  int* depth;
  int* deepest;

  template <class F, class G>
  auto operator()(F&& f, G&& g) const {
    *deepest = std::max(*deepest, ++*depth);
    auto results = serially{}(f, g);
    --*depth;
    return results;
  }
};

class SampleTree : public testing::TestWithParam<std::string> {};

}  // namespace

TEST(Sha1, GivesTheDigestsOfTheStandard) {
  // "abc" with its padding: the example of FIPS 180-4.
  const std::array<std::uint32_t, 16> abc = {0x61626380, 0, 0, 0, 0, 0, 0, 0,
                                             0,          0, 0, 0, 0, 0, 0, 24};
  EXPECT_EQ(sha1_of_block(abc),
            (sha1_digest{0xa9993e36, 0x4706816a, 0xba3e2571, 0x7850c26c, 0x9cd0d89d}));
  // The hashes of twenty and of twenty-four zero bytes, by sha1sum.
  EXPECT_EQ(sha1_of_20_bytes({}),
            (sha1_digest{0x6768033e, 0x21646824, 0x7bd031a0, 0xa2d9876d, 0x79818f8f}));
  EXPECT_EQ(sha1_of_24_bytes({}, 0),
            (sha1_digest{0xd3399b72, 0x62fb56cb, 0x9ed053d6, 0x8db9291c, 0x410839c4}));
}

TEST_P(SampleTree, HasThePublishedCounts) {
  if (heist_test::asan || heist_test::tsan)
    GTEST_SKIP() << "twenty million nodes in all; the presets' tests walk a small tree";
  const auto instance = make_instance("uts", {{"tree", GetParam()}});
  instance->run_serial();
  EXPECT_EQ(instance->mistake(), std::nullopt);
  heist::pool pool{{.workers = 2}};
  pool.run([&] { instance->run(); });
  EXPECT_EQ(instance->mistake(), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Every, SampleTree, testing::Values("T1", "T2", "T3", "T4", "T5"),
                         [](const auto& tree) { return tree.param; });

TEST(Uts, WalksTheDeepestTreeWithinADefaultStack) {
  if (std::getenv("HEIST_LONG_TESTS") == nullptr)
    GTEST_SKIP() << "111 million nodes take 40 s: run by `.ci/run long`";
  const auto instance = make_instance("uts", {{"tree", "T3L"}});
  instance->run();
  EXPECT_EQ(instance->mistake(), std::nullopt);
}

TEST(Uts, RecursesLittleInADeepTree) {
  int depth = 0;
  int deepest = 0;
  const auto& tree = sample("T3");
  const auto counts =
      count_tree(heist::workloads::tree(tree.parameters), measuring{&depth, &deepest});
  EXPECT_EQ(counts.nodes, tree.published.nodes);
  EXPECT_EQ(counts.depth, 1572u);
  EXPECT_EQ(deepest, levels_of_forks);
}

TEST(Uts, NoticesAWrongCount) {
  const auto instance = make_instance("uts", {});
  instance->reset();
  EXPECT_NE(instance->mistake(), std::nullopt);
}

// ---- The programs that search or walk a tree: knapsack, graph_walk, skynet and integrate.

namespace {

// The best value of all subsets that fit.
std::int64_t best_of_all_subsets(const std::vector<knapsack_item>& items, std::int64_t capacity) {
  std::int64_t best = 0;
  for (std::uint32_t subset = 0; subset < (1u << items.size()); ++subset) {
    knapsack_item sum{0, 0};
    for (std::size_t i = 0; i < items.size(); ++i)
      if ((subset >> i & 1) != 0) {
        sum.value += items[i].value;
        sum.weight += items[i].weight;
      }
    if (sum.weight <= capacity) best = std::max(best, sum.value);
  }
  return best;
}

// By falling value for their weight, as the search needs them.
std::vector<knapsack_item> random_items(std::size_t count, std::uint64_t seed) {
  std::vector<knapsack_item> items(count);
  for (std::size_t i = 0; i < count; ++i)
    items[i] = {static_cast<std::int64_t>(random_at(seed, 2 * i) % 50),
                static_cast<std::int64_t>(random_at(seed, 2 * i + 1) % 20) + 1};
  std::sort(items.begin(), items.end(),
            [](const auto& a, const auto& b) { return a.value * b.weight > b.value * a.weight; });
  return items;
}

}  // namespace

TEST(Knapsack, FindsTheBestOfAllSubsets) {
  for (const std::size_t count : {0u, 1u, 2u, 7u, 11u})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto items = random_items(count, seed);
      for (const std::int64_t capacity : {0, 1, 17, 60, 10'000}) {
        const auto expected = best_of_all_subsets(items, capacity);
        plain_best serial;
        search_knapsack_serially({items, capacity, 0}, serial);
        EXPECT_EQ(serial.value(), expected) << count << " items, seed " << seed;
        shared_best shared;
        search_knapsack({items, capacity, 0}, 0, shared, forked{});
        EXPECT_EQ(shared.value(), expected) << count << " items, seed " << seed;
      }
    }
}

TEST(Knapsack, IsTheSameOnEveryPool) {
  expect_same_result_everywhere(*make_instance("knapsack", {{"items", "1"}}));
  expect_same_result_everywhere(*make_instance("knapsack", {{"items", "64"}, {"spread", "1000"}}));
}

TEST(Knapsack, NoticesAWrongValue) {
  const auto instance = make_instance("knapsack", {});
  instance->reset();
  EXPECT_THAT(instance->mistake().value_or(""), testing::EndsWith("not 0"));
}

TEST(GraphWalk, RunsEveryTaskOnce) {
  const auto tasks = [](std::uint64_t breadth, unsigned depth) {
    return walk(0, {breadth, depth, 1}, 1, forked{}).tasks;
  };
  EXPECT_EQ(tasks(300, 1), 1u);
  EXPECT_EQ(tasks(300, 2), 301u);
  EXPECT_EQ(tasks(300, 3), 90'301u);
  EXPECT_EQ(tasks(1, 50), 50u);
  EXPECT_EQ(tasks(2, 10), 1023u);
}

TEST(GraphWalk, GivesEveryTaskANumberOfItsOwn) {
  // Without work a task's value is its number: 0 to 3 + 9 in two levels below the root.
  EXPECT_EQ(walk(0, {3, 3, 0}, 1, forked{}).value, 12u * 13 / 2);
}

TEST(GraphWalk, IsTheSameOnEveryPool) {
  expect_same_result_everywhere(*make_instance("graph_walk", {{"depth", "1"}}));
  expect_same_result_everywhere(*make_instance("graph_walk", {{"breadth", "1"}, {"work", "0"}}));
}

TEST(GraphWalk, RefusesMoreTasksThanCanEverRun) {
  EXPECT_THROW(make_instance("graph_walk", {{"depth", "8"}}), heist::usage_error);
  EXPECT_THROW(make_instance("graph_walk", {{"breadth", "16777216"}, {"depth", "50"}}),
               heist::usage_error);
}

TEST(GraphWalk, NoticesMissingTasks) {
  const auto instance = make_instance("graph_walk", {});
  instance->reset();
  EXPECT_EQ(instance->mistake(), "0 tasks ran, not 90301");
}

TEST(Skynet, SumsEveryLeafOnce) {
  for (const std::uint64_t leaves : {1u, 2u, 9u, 10u, 11u, 99u, 1000u, 12'345u}) {
    EXPECT_EQ(skynet_serially({0, leaves}), leaves * (leaves - 1) / 2) << leaves << " leaves";
    EXPECT_EQ(skynet({0, leaves}, forked{}), leaves * (leaves - 1) / 2) << leaves << " leaves";
  }
}

TEST(Skynet, NoticesAWrongSum) {
  const auto instance = make_instance("skynet", {{"leaves", "4"}});
  instance->reset();
  EXPECT_EQ(instance->mistake(), "4 leaves have the sum 6, not 0");
}

TEST(Integrate, IsExactForALine) {
  const auto line = [](double x) { return 2 * x; };
  EXPECT_EQ(integrate_serially(line, {0, 4, 0, 8}, 1e-9, most_halvings), 16);
  EXPECT_EQ(integrate(line, {0, 4, 0, 8}, 1e-9, most_halvings, forked{}), 16);
}

TEST(Integrate, EndsWhereNoPieceIsSmallEnough) {
  const auto step = [](double x) { return x < 1.0 / 3 ? 0.0 : 1.0; };
  EXPECT_NEAR(integrate(step, {0, 1, 0, 1}, 0, 20, forked{}), 2.0 / 3, 1e-5);
}

TEST(Integrate, IsRightToTheDigitsThatWereAskedFor) {
  for (const auto* function : {"peak", "cubic"})
    for (const auto* digits : {"4", "5", "6", "7", "8", "9"}) {
      const auto instance =
          make_instance("integrate", {{"function", function}, {"digits", digits}});
      instance->run_serial();
      EXPECT_EQ(instance->mistake(), std::nullopt) << function << " to " << digits << " digits";
    }
}

TEST(Integrate, NoticesAWrongIntegral) {
  const auto instance = make_instance("integrate", {});
  instance->reset();
  EXPECT_NE(instance->mistake(), std::nullopt);
}
