// Compares scan, transform, generate, fill, copy, copy_if and partition with std's, and nests
// algorithms in each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "heist/parallel_for.hpp"
#include "heist/partition.hpp"
#include "heist/reduce.hpp"
#include "heist/scan.hpp"
#include "heist/sort.hpp"
#include "heist/transform.hpp"
#include "tests/unit/parallel/support.hpp"

namespace heist_test {
namespace {

constexpr std::size_t sizes[] = {0, 1, 2, 3, 15, 16, 17, 1000, 5000, 70'001};

// The tree that heist/scan.hpp promises, implemented a second time.
std::vector<double> promised_scan(const std::vector<double>& v, std::optional<double> init,
                                  bool inclusive) {
  const auto root = static_cast<std::size_t>(std::sqrt(static_cast<double>(v.size())));
  const std::size_t each = std::clamp<std::size_t>(root, 1, 1024);
  std::vector<double> out;
  std::optional<double> offset = init;
  for (std::size_t first = 0; first < v.size(); first += each) {
    const std::size_t last = std::min(first + each, v.size());
    const double sum = std::accumulate(v.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                                       v.begin() + static_cast<std::ptrdiff_t>(last), v[first]);
    std::optional<double> running = offset;
    for (std::size_t i = first; i < last; ++i) {
      if (!inclusive) out.push_back(*running);
      running = running ? *running + v[i] : v[i];
      if (inclusive) out.push_back(*running);
    }
    offset = offset ? *offset + sum : sum;
  }
  return out;
}

std::vector<double> numbers(std::size_t n) {
  std::mt19937_64 random(n);
  std::vector<double> v(n);
  for (auto& x : v) x = std::ldexp(static_cast<double>(random() >> 12), -40) - 1000;
  return v;
}

TEST(Scan, FollowsThePromisedTreeToTheBit) {
  std::vector<std::size_t> all(std::begin(sizes), std::end(sizes));
  all.push_back(1'100'000);  // more than one block
  for (const std::size_t n : all) {
    const auto v = numbers(n);
    const auto plain = promised_scan(v, {}, true);
    const auto with_init = promised_scan(v, 0.1, true);
    const auto without_last = promised_scan(v, 0.1, false);
    for (const auto& pool : pools()) {
      std::vector<double> out(n);
      EXPECT_EQ(heist::inclusive_scan(*pool, v, out.begin()), out.end());
      EXPECT_EQ(out, plain) << n << " with " << pool->workers();
      heist::inclusive_scan(*pool, v, out.begin(), std::plus<>(), 0.1);
      EXPECT_EQ(out, with_init) << n << " with " << pool->workers();
      EXPECT_EQ(heist::exclusive_scan(*pool, v, out.begin(), 0.1), out.end());
      EXPECT_EQ(out, without_last) << n << " with " << pool->workers();
      out = v;  // in place
      heist::exclusive_scan(*pool, out, out.begin(), 0.1);
      EXPECT_EQ(out, without_last) << n << " with " << pool->workers();
      out = v;
      heist::inclusive_scan(*pool, out.begin(), out.end(), out.begin());
      EXPECT_EQ(out, plain) << n << " with " << pool->workers();
    }
  }
}

TEST(Scan, KeepsTheOrderOfWhatDoesNotCommute) {
  for (const auto& pool : pools()) {
    std::vector<std::string> digits;
    for (int i = 0; i < 300; ++i) digits.push_back(std::to_string(i % 10));
    std::vector<std::string> expected(300);
    std::vector<std::string> found(300);
    std::inclusive_scan(digits.begin(), digits.end(), expected.begin());
    heist::inclusive_scan(*pool, digits, found.begin());
    EXPECT_EQ(found, expected);
    std::exclusive_scan(digits.begin(), digits.end(), expected.begin(), std::string("> "));
    heist::exclusive_scan(*pool, digits, found.begin(), std::string("> "));
    EXPECT_EQ(found, expected);
  }
}

TEST(Scan, SurvivesFaultsEverywhere) {
  for (const unsigned workers : {1U, 3U}) {
    heist::pool pool({.workers = workers});
    const std::vector<fragile> v(30, 1);
    std::vector<fragile> out(30);
    expect_survives_every_fault([&](auto arm) {
      arm();
      heist::inclusive_scan(pool, v, out.begin());
      fault_plan::disarm();
      EXPECT_EQ(out.back().value(), 30);
    });
    expect_survives_every_fault([&](auto arm) {
      arm();
      heist::exclusive_scan(pool, v, out.begin(), fragile(5));
      fault_plan::disarm();
      EXPECT_EQ(out.back().value(), 34);
    });
  }
}

TEST(Transform, AndItsKinAgreeWithStd) {
  for (const auto& pool : pools()) {
    for (const std::size_t n : sizes) {
      const auto v = numbers(n);
      std::vector<double> found(n);
      std::vector<double> expected(n);
      const auto twice = [](double x) { return 2 * x; };
      std::transform(v.begin(), v.end(), expected.begin(), twice);
      EXPECT_EQ(heist::transform(*pool, v, found.begin(), twice), found.end());
      EXPECT_EQ(found, expected);
      std::transform(v.begin(), v.end(), v.rbegin(), expected.begin(), std::minus<>());
      EXPECT_EQ(heist::transform(*pool, v, v.rbegin(), found.begin(), std::minus<>()), found.end());
      EXPECT_EQ(found, expected);
      EXPECT_EQ(heist::copy(*pool, v, found.begin()), found.end());
      EXPECT_EQ(found, v);
      heist::fill(*pool, found, 4.0);
      EXPECT_EQ(found, std::vector<double>(n, 4.0));
      std::atomic<int> next{0};
      std::vector<int> tickets(n);
      heist::generate(*pool, tickets, [&] { return next++; });
      std::sort(tickets.begin(), tickets.end());
      std::vector<int> all(n);
      std::iota(all.begin(), all.end(), 0);
      EXPECT_EQ(tickets, all);
    }
  }
}

TEST(Partition, AndCopyIfAgreeWithStd) {
  std::mt19937 random(8);
  for (const std::size_t n : sizes) {
    std::vector<unsigned> v(n);
    for (const unsigned share : {0U, 1U, 50U, 100U}) {
      for (auto& x : v) x = static_cast<unsigned>(random() % 100);
      const auto chosen = [&](unsigned x) { return x < share; };
      std::vector<unsigned> copied;
      std::copy_if(v.begin(), v.end(), std::back_inserter(copied), chosen);
      std::vector<unsigned> parted = copied;
      std::remove_copy_if(v.begin(), v.end(), std::back_inserter(parted), chosen);
      for (const auto& pool : pools()) {
        std::vector<unsigned> found(n);
        found.erase(heist::copy_if(*pool, v, found.begin(), chosen), found.end());
        EXPECT_EQ(found, copied);
        auto in_place = v;
        const auto end = heist::stable_partition(*pool, in_place, chosen);
        EXPECT_EQ(end - in_place.begin(), static_cast<std::ptrdiff_t>(copied.size()));
        EXPECT_EQ(in_place, parted);
      }
    }
  }
}

// Runs of chosen elements and of others, so that some words of 64 answers are all alike; the sizes
// lie around those of words and of leaves, and no element equals another.
template <class Elements>
void expect_runs_as_std(std::size_t n, std::size_t longest_run, std::mt19937& random) {
  std::vector<char> is_chosen(n);
  for (std::size_t i = 0, left = 0; i < n; ++i, --left) {
    if (left == 0) left = 1 + random() % longest_run;
    is_chosen[i] = i == 0 || left == 1 ? static_cast<char>(random() % 2) : is_chosen[i - 1];
  }
  using element = typename Elements::value_type;
  Elements v;
  for (std::size_t i = 0; i < n; ++i) v.push_back(element(i));
  const auto chosen = [&](const element& e) { return is_chosen[e.number] != 0; };
  Elements copied(n);
  copied.erase(std::copy_if(v.begin(), v.end(), copied.begin(), chosen), copied.end());
  Elements parted = copied;
  std::remove_copy_if(v.begin(), v.end(), std::back_inserter(parted), chosen);
  for (const auto& pool : pools()) {
    Elements found(n);
    found.erase(heist::copy_if(*pool, v, found.begin(), chosen), found.end());
    EXPECT_EQ(found, copied);
    Elements in_place = v;
    EXPECT_EQ(heist::partition(*pool, in_place, chosen) - in_place.begin(),
              static_cast<std::ptrdiff_t>(copied.size()));
    EXPECT_EQ(in_place, parted);
  }
}

struct number_of {
  std::size_t number = 0;
  explicit number_of(std::size_t i = 0) : number(i) {}
  bool operator==(const number_of&) const = default;
};
struct on_the_heap : number_of {
  std::string text;
  explicit on_the_heap(std::size_t i = 0) : number_of(i), text(std::to_string(i) + " of many") {}
  bool operator==(const on_the_heap&) const = default;
};

TEST(Partition, WordsThatAreAllAlikeAgreeWithStd) {
  constexpr unsigned seed = 64;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  constexpr std::size_t lengths[] = {63, 64, 65, 127, 128, 129, 2047, 2048, 2049, 4160, 70'001};
  constexpr std::size_t longest_runs[] = {3, 200, 5000};
  for (const std::size_t n : lengths)
    for (const std::size_t longest_run : longest_runs) {
      SCOPED_TRACE(n);
      expect_runs_as_std<std::vector<number_of>>(n, longest_run, random);
      if (n > 5000) continue;
      expect_runs_as_std<std::deque<number_of>>(n, longest_run, random);
      expect_runs_as_std<std::vector<on_the_heap>>(n, longest_run, random);
    }
}

// What threw was the predicate, and no element had been moved.
TEST(Partition, AnAnswerThatThrowsLeavesTheElementsAsTheyWere) {
  for (const auto& pool : pools())
    for (const std::size_t bad : {std::size_t{0}, std::size_t{70}, std::size_t{5000}}) {
      std::vector<std::size_t> v(10'000);
      std::iota(v.begin(), v.end(), std::size_t{0});
      const auto before = v;
      EXPECT_THROW(heist::partition(*pool, v,
                                    [&](std::size_t i) {
                                      if (i == bad) throw std::runtime_error("bad");
                                      return i % 2 == 0;
                                    }),
                   std::runtime_error);
      EXPECT_EQ(v, before);
    }
}

TEST(Partition, MovesWhatCannotBeCopied) {
  for (const auto& pool : pools()) {
    std::vector<std::unique_ptr<int>> v;
    for (int i = 0; i < 1000; ++i) v.push_back(std::make_unique<int>(i));
    const auto end = heist::partition(*pool, v, [](const auto& p) { return *p % 3 == 0; });
    EXPECT_EQ(end - v.begin(), 334);
    EXPECT_EQ(*v[1], 3);
    EXPECT_EQ(*v[334], 1);
  }
}

TEST(Partition, SurvivesFaultsEverywhere) {
  for (const unsigned workers : {1U, 3U}) {
    heist::pool pool({.workers = workers});
    std::vector<fragile> v;
    for (int i = 0; i < 40; ++i) v.emplace_back(i % 10);
    expect_survives_every_fault([&](auto arm) {
      for (std::size_t i = 0; i < v.size(); ++i) v[i] = fragile(static_cast<int>(i) % 10);
      arm();
      const auto end = heist::partition(pool, v, [](const fragile& f) { return f < fragile(5); });
      fault_plan::disarm();
      EXPECT_EQ(end - v.begin(), 20);
    });
  }
}

TEST(Algorithms, RunWithinEachOther) {
  for (const auto& pool : pools()) {
    std::vector<int> keys(200);
    std::iota(keys.begin(), keys.end(), 0);
    std::vector<std::atomic<int>> looked(200);
    // A loop within a reduction sorts rows by a comparison that itself runs a loop.
    const long total = heist::transform_reduce(
        *pool, keys.begin(), keys.begin() + 20, 0L, std::plus<>(), [&](int row) {
          std::vector<int> values(keys.rbegin(), keys.rend());
          std::rotate(values.begin(), values.begin() + row, values.end());
          heist::sort(values, [&](int a, int b) {
            if (a % 50 == 0)
              heist::parallel_for(0, 3, [&](int) { ++looked[static_cast<std::size_t>(a)]; });
            return a < b;
          });
          EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
          std::vector<int> sums(values.size());
          heist::inclusive_scan(values, sums.begin());
          return static_cast<long>(sums.back());
        });
    EXPECT_EQ(total, 20L * 199 * 200 / 2);
    EXPECT_GT(looked[50], 0);
  }
}

}  // namespace
}  // namespace heist_test
