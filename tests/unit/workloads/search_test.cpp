// The programs that search or walk a tree: knapsack, graph_walk, skynet and integrate.
#include <algorithm>

#include <gmock/gmock.h>

#include <heist/error.hpp>

#include "check_workload.hpp"
#include "workloads/graph_walk/graph_walk.hpp"
#include "workloads/hashing.hpp"
#include "workloads/integrate/integrate.hpp"
#include "workloads/knapsack/knapsack.hpp"
#include "workloads/skynet/skynet.hpp"

using namespace heist::workloads;

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
