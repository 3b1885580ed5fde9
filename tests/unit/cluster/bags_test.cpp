// The bags behind parallel_reduce and tree_search, and a bag that a pool's workers share, without
// other ranks: split, sent and merged at random.
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <heist/cluster/detail/bag_work.hpp>
#include <heist/cluster/detail/interval_bag.hpp>
#include <heist/cluster/detail/search_bag.hpp>

#include "lab/model/random.hpp"
#include "tests/unit/cluster/numbered_bag.hpp"

namespace heist::cluster {
namespace {

// What another rank makes of a bag.
template <class Bag>
Bag sent(const Bag& bag) {
  std::vector<std::byte> bytes;
  wire_writer(bytes).put(bag);
  wire_reader from(bytes);
  auto result = from.get<Bag>();
  from.finish();
  return result;
}

// Some ranks, each of which processes a little, or gets half of another's bag, as chance will have
// it. The results are merged in the order of the ranks.
template <class Bag>
Bag process_scattered(const Bag& empty, Bag whole, lab::rng& random) {
  constexpr std::size_t ranks = 5;
  std::vector<Bag> bags(ranks, empty);
  bags[random.below(ranks)].merge(std::move(whole));
  const auto is_done = [&] {
    for (const auto& each : bags)
      if (!each.is_empty()) return false;
    return true;
  };
  while (!is_done()) {
    auto& one = bags[random.below(ranks)];
    auto& other = bags[random.below(ranks)];
    if (random.chance(1, 2)) {
      EXPECT_LE(one.process(3), 3U);
    } else if (auto half = one.split()) {
      EXPECT_FALSE(half->is_empty());
      other.merge(sent(*half));
    }
  }
  Bag all = empty;
  for (auto& each : bags) all.merge(sent(each));
  return all;
}

TEST(IntervalBag, CombinesInOrderWhoeverProcessesWhat) {
  const auto name = [](std::uint64_t i) { return std::to_string(i) + ' '; };
  const std::plus<std::string> join;
  using bag_type = detail::interval_bag<std::string, decltype(name), decltype(join)>;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    lab::rng random(seed);
    const auto numbers = random.below(100);
    std::string expected;
    for (std::uint64_t i = 0; i < numbers; ++i) expected += name(7 + i);
    bag_type whole(name, join);
    whole.add({7, 7 + numbers});
    auto all = process_scattered(bag_type(name, join), std::move(whole), random);
    EXPECT_EQ(all.take_result().value_or(""), expected) << "seed " << seed;
  }
}

TEST(IntervalBag, SplitsIntoHalves) {
  const auto id = [](std::uint64_t i) { return i; };
  const std::plus<std::uint64_t> add;
  detail::interval_bag<std::uint64_t, decltype(id), decltype(add)> bag(id, add);
  bag.add({0, 10});
  bag.add({20, 21});
  bag.add({30, 50});
  auto half = bag.split();
  ASSERT_TRUE(half);
  EXPECT_EQ(half->process(100) + half->process(100) + half->process(100), 15U);
  while (!bag.is_empty()) (void)bag.process(1);
  EXPECT_FALSE(bag.split());
}

TEST(IntervalBag, RefusesAnIntervalWithoutNumbers) {
  std::vector<std::byte> bytes;
  wire_writer(bytes)
      .put(std::vector<detail::interval>{{5, 5}})
      .put(std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>>{});
  using bag_type =
      detail::interval_bag<std::uint64_t, std::negate<std::uint64_t>, std::plus<std::uint64_t>>;
  wire_reader from(bytes);
  EXPECT_THROW((void)from.get<bag_type>(), wire_error);
}

// Each node is its height; a tree of height 6 has 1093 nodes.
struct visit_ternary {
  template <class Search>
  void operator()(int height, Search& search) const {
    search.add(1);
    if (height == 0) search.raise_bound(search.bound() < 0 ? 1 : search.bound() + 1);
    for (int i = 0; i < 3 && height > 0; ++i) search.push(height - 1);
  }
};

TEST(SearchBag, VisitsEachNodeOnceAndKeepsTheBound) {
  using combine_type = std::plus<std::uint64_t>;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    lab::rng random(seed);
    const visit_ternary visit;
    const combine_type add;
    const std::uint64_t nothing = 0;
    detail::search_base<std::uint64_t, const visit_ternary, const combine_type> base{visit, add,
                                                                                     nothing};
    using bag_type =
        detail::search_bag<int, std::uint64_t, const visit_ternary, const combine_type>;
    bag_type whole(base);
    whole.add(6);
    auto all = process_scattered(bag_type(base), std::move(whole), random);
    EXPECT_EQ(all.bound(), 729) << "seed " << seed;
    EXPECT_EQ(sent(all).bound(), 729);
    EXPECT_EQ(all.take_result(), 1093U) << "seed " << seed;
  }
}

TEST(BagWork, WorkersProcessEachItemOnce) {
  constexpr std::uint64_t items = 200'000;
  pool four({.workers = 4});
  for (pool* const on : {static_cast<pool*>(nullptr), &four}) {
    detail::bag_work<cluster_test::numbered_bag> work(cluster_test::numbered_bag::root(items));
    std::uint64_t processed = 0;
    while (!work.is_empty())
      processed +=
          work.process_until(detail::work_clock::now() + std::chrono::microseconds(200), on);
    EXPECT_EQ(processed, items);
    EXPECT_TRUE(work.get().has_each_once());
  }
}

// A bag that never ends, and one that throws.
struct endless_bag {
  std::uint64_t open = 1;
  [[nodiscard]] bool is_empty() const { return open == 0; }
  std::uint64_t process(std::uint64_t most) {
    if (open > 64) throw std::runtime_error("enough");
    return most;
  }
  std::optional<endless_bag> split() { return endless_bag{open}; }
  void merge(endless_bag) {}
};

TEST(BagWork, EndsAtTheDeadline) {
  pool two({.workers = 2});
  detail::bag_work<endless_bag> work(endless_bag{});
  const auto start = detail::work_clock::now();
  EXPECT_GT(work.process_until(start + std::chrono::milliseconds(5), &two), 0U);
  EXPECT_GE(detail::work_clock::now() - start, std::chrono::milliseconds(5));
  EXPECT_FALSE(work.is_empty());
}

TEST(BagWork, ThrowsWhatAnItemThrows) {
  pool two({.workers = 2});
  detail::bag_work<endless_bag> work(endless_bag{65});
  EXPECT_THROW(work.process_until(detail::work_clock::now() + std::chrono::seconds(5), &two),
               std::runtime_error);
}

}  // namespace
}  // namespace heist::cluster
