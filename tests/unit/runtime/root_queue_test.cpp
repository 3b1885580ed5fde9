// Roots leave the entry of a pool by priority, each level in order, and no level starves; those of
// a family can be taken out by the one that waits for them.
#include "runtime/core/root_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <random>
#include <utility>

namespace heist_test {
namespace {

using heist::priority;
using heist::detail::root_family;
using heist::detail::root_queue;

struct numbered_root : heist::detail::family_root {
  numbered_root(priority p, int n, root_family* of = nullptr) : family_root(nullptr, of), number(n) {
    urgency = p;
  }
  int number;
};

class RootQueue : public testing::Test {
 protected:
  void push(priority p, int n) { queue_.push(roots_.emplace_back(p, n)); }
  void push(priority p, int n, root_family& of) {
    queue_.push(roots_.emplace_back(p, n, &of));
    root_queue::list(roots_.back());
  }
  numbered_root* pop() { return static_cast<numbered_root*>(queue_.pop()); }
  int number_of_newest(const root_family& of) {
    auto* const r = static_cast<numbered_root*>(queue_.pop_newest_of(of));
    return r == nullptr ? -1 : r->number;
  }

  root_queue queue_;
  std::deque<numbered_root> roots_;
};

TEST_F(RootQueue, TakesTheHighestLevelFirstAndEachLevelInOrder) {
  push(priority::low, 0);
  push(priority::normal, 1);
  push(priority::high, 2);
  push(priority::high, 3);
  push(priority::low, 4);
  for (const int expected : {2, 3, 1, 0, 4}) {
    const numbered_root* const r = pop();
    ASSERT_NE(r, nullptr);
    EXPECT_EQ(r->number, expected);
  }
  EXPECT_EQ(pop(), nullptr);
}

TEST_F(RootQueue, NoLevelWaitsForMoreThanTenTakesUnderAFloodOfHigherOnes) {
  constexpr int waiting = 40;
  for (int i = 0; i < waiting; ++i) {
    push(priority::normal, i);
    push(priority::low, i);
  }
  int taken[3] = {};
  for (int takes = 1; takes <= 10 * waiting; ++takes) {
    push(priority::high, taken[0] + 1000);  // there is always one
    const numbered_root* const r = pop();
    ASSERT_NE(r, nullptr);
    const auto level = static_cast<int>(r->urgency);
    if (r->urgency != priority::high) {
      EXPECT_EQ(r->number, taken[level]);
      EXPECT_LE(takes, 10 * (taken[level] + 1));
    }
    ++taken[level];
  }
  EXPECT_EQ(taken[1], waiting);
  EXPECT_EQ(taken[2], waiting);
  EXPECT_EQ(taken[0], 8 * waiting);
}

TEST_F(RootQueue, GivesAFamilyItsNewestAndKeepsTheOrderOfTheOthers) {
  root_family a;
  root_family b;
  push(priority::normal, 0, a);
  push(priority::normal, 1);
  push(priority::high, 2, a);
  push(priority::normal, 3, b);
  push(priority::normal, 4, a);
  push(priority::normal, 5);
  EXPECT_EQ(number_of_newest(a), 4);
  EXPECT_EQ(number_of_newest(b), 3);
  EXPECT_EQ(number_of_newest(b), -1);
  EXPECT_EQ(pop()->number, 2);
  EXPECT_EQ(number_of_newest(a), 0);
  EXPECT_EQ(number_of_newest(a), -1);
  push(priority::normal, 6, a);
  for (const int expected : {1, 5, 6}) EXPECT_EQ(pop()->number, expected);
  EXPECT_EQ(number_of_newest(a), -1);
  EXPECT_EQ(pop(), nullptr);
}

// Every way of taking roots out, at random, beside a model that is a list of numbers.
TEST_F(RootQueue, AgreesWithAListOfNumbers) {
  std::minstd_rand random(1);
  std::array<root_family, 3> families;
  std::deque<std::pair<int, int>> model;  // number and family
  for (int n = 0; n < 20'000; ++n) {
    const int of = static_cast<int>(random() % 4);
    if (random() % 2 == 0) {
      if (of == 3)
        push(priority::normal, n);
      else
        push(priority::normal, n, families[std::size_t(of)]);
      model.emplace_back(n, of);
    } else if (of == 3) {
      const numbered_root* const r = pop();
      ASSERT_EQ(r == nullptr ? -1 : r->number, model.empty() ? -1 : model.front().first);
      if (!model.empty()) model.pop_front();
    } else {
      const auto newest = std::find_if(model.rbegin(), model.rend(),
                                       [of](const auto& r) { return r.second == of; });
      ASSERT_EQ(number_of_newest(families[std::size_t(of)]),
                newest == model.rend() ? -1 : newest->first);
      if (newest != model.rend()) model.erase(std::next(newest).base());
    }
  }
}

}  // namespace
}  // namespace heist_test
