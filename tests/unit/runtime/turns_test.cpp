// Who goes next (turns.hpp): the bounds of the rule, for whatever comes and goes at a pool's entry.
#include "runtime/core/turns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <deque>
#include <iterator>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "runtime/core/injection.hpp"
#include "runtime/core/root_queue.hpp"

namespace heist_test {
namespace {

using heist::priority;
using heist::detail::basic_entry_turns;
using heist::detail::entry_access;
using heist::detail::entry_bounds;
using heist::detail::entry_level;
using heist::detail::fiber;
using heist::detail::injected;
using heist::detail::injection_queue;

using counts = std::array<unsigned, 3>;
constexpr unsigned for_ever = 200;

// All that can wait at one moment.
template <class Turns>
std::vector<typename Turns::waiting> all_moments() {
  std::vector<typename Turns::waiting> all;
  for (unsigned bits = 0; bits < 32; ++bits)
    all.push_back(
        {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 12) == 12, (bits & 16) != 0});
  return all;
}

// Every state of the rule that some sequence of moments leads to.
template <class Bounds>
std::set<counts> reachable() {
  using turns = basic_entry_turns<Bounds>;
  const auto moments = all_moments<turns>();
  std::set<counts> seen{counts{}};
  std::vector<counts> open{counts{}};
  while (!open.empty()) {
    const auto from = std::bit_cast<turns>(open.back());
    open.pop_back();
    for (const auto& moment : moments) {
      turns to = from;
      to.choose(moment);
      const auto state = std::bit_cast<counts>(to);
      const bool goes_on = *std::max_element(state.begin(), state.end()) < for_ever;
      if (seen.insert(state).second && goes_on) open.push_back(state);
    }
  }
  return seen;
}

// How often each level can be passed over in a row while it waits.
template <class Bounds>
counts worst() {
  counts most{};
  for (const counts& state : reachable<Bounds>())
    for (unsigned l = 0; l < 3; ++l) most[l] = std::max(most[l], state[l]);
  return most;
}

// How often a root can be passed over that is urgent all the time, from whatever state.
template <class Bounds>
unsigned worst_of_urgent() {
  using turns = basic_entry_turns<Bounds>;
  std::set<counts> now = reachable<Bounds>();
  unsigned passed = 0;
  for (; passed < for_ever; ++passed) {
    std::set<counts> next;
    for (const counts& state : now) {
      for (auto moment : all_moments<turns>()) {
        moment.root = moment.is_urgent = true;
        auto to = std::bit_cast<turns>(state);
        if (to.choose(moment) != entry_level::root) next.insert(std::bit_cast<counts>(to));
      }
    }
    if (next.empty()) break;
    now.swap(next);
  }
  return passed;
}

TEST(Turns, EachLevelHasOneIn64WhateverElseWaits) {
  const counts most = worst<entry_bounds>();
  const unsigned of_urgent = worst_of_urgent<entry_bounds>();
  std::printf(
      "level                   passed over at most\n"
      "fibers that continue    %u\nforks left behind       %u\nroots                   %u\n"
      "an urgent root          %u\n",
      most[0], most[1], most[2], of_urgent);
  for (const unsigned passed : most) EXPECT_LT(passed, 64U);
  EXPECT_LE(of_urgent, 6U);
}

struct without_resumed : entry_bounds {
  static constexpr counts of_level{for_ever + 1, 60, 60};
};
struct without_left_behind : entry_bounds {
  static constexpr counts of_level{60, for_ever + 1, 60};
};
struct without_roots : entry_bounds {
  static constexpr counts of_level{60, 60, for_ever + 1};
};
struct without_urgent : entry_bounds {
  static constexpr unsigned of_urgent_root = for_ever + 1;
};

// Each bound is needed: without it that level starves. Fibers that can continue are first in the
// usual order, and are passed over only for those that are due.
TEST(Turns, WithoutItsBoundALevelStarves) {
  EXPECT_EQ(worst<without_left_behind>()[1], for_ever);
  EXPECT_EQ(worst<without_roots>()[2], for_ever);
  EXPECT_GT(worst_of_urgent<without_urgent>(), 6U);
  EXPECT_LT(worst<without_resumed>()[0], 64U);
}

struct numbered : heist::detail::root {
  explicit numbered(priority p) : root(nullptr) { urgency = p; }
};

// What the rule says of levels, for single roots in the queue that uses it.
class Entry : public testing::Test {
 protected:
  Entry() { queue_.make_lanes(1); }
  // How many pops it takes until that root comes, while `refill` puts something in before each.
  template <class Refill>
  unsigned pops_until(const heist::detail::root& wanted, Refill refill, bool roots_first = false) {
    for (unsigned pops = 1; pops < for_ever; ++pops) {
      refill();
      if (pop(roots_first).entry == &wanted) return pops;
    }
    return for_ever;
  }
  void add_job() { queue_.push(jobs_.emplace_back(), 0); }
  numbered& add_root(priority p) {
    numbered& r = roots_.emplace_back(p);
    queue_.push(r);
    return r;
  }

  injected pop(bool roots_first = false, bool urgent_first = false) {
    return queue_.pop(worker_, roots_first, urgent_first);
  }

  injection_queue queue_;
  entry_access worker_;
  std::deque<heist::detail::job> jobs_;
  std::deque<numbered> roots_;
};

TEST_F(Entry, ARootComesAmongForksThatNeverEnd) {
  const numbered& normal = add_root(priority::normal);
  EXPECT_LE(pops_until(normal, [&] { add_job(); }), 64U);
  const numbered& high = add_root(priority::high);
  EXPECT_LE(pops_until(high, [&] { add_job(); }), 7U);
  const numbered& low = add_root(priority::low);
  EXPECT_LE(pops_until(low, [&] { add_job(); }), 64U);
}

TEST_F(Entry, AnUrgentRootComesAmongForksAndOtherRoots) {
  for (int i = 0; i < 100; ++i) add_root(priority::low);
  for (int i = 0; i < 100; ++i) add_root(priority::normal);
  for (int i = 0; i < 20; ++i) static_cast<void>(pop());
  const numbered& high = add_root(priority::high);
  EXPECT_LE(pops_until(high, [&] { add_job(); }), 9U);
}

TEST_F(Entry, ForksThatWereLeftHaveTurnsAmongRootsThatGoFirst) {
  heist::detail::job left;
  queue_.push(left, 0);
  unsigned pops = 0;
  for (bool found = false; !found && pops < for_ever; ++pops) {
    add_root(priority::normal);
    found = pop(true).left_behind == &left;
  }
  EXPECT_GT(pops, 1U);
  EXPECT_LE(pops, 64U);
}

TEST_F(Entry, AWorkerThatComesForAnUrgentRootGetsIt) {
  add_root(priority::normal);
  const numbered& high = add_root(priority::high);
  add_job();
  EXPECT_EQ(queue_.urgent(), 1U);
  EXPECT_EQ(pop(false, true).entry, &high);
  EXPECT_EQ(queue_.urgent(), 0U);
  EXPECT_EQ(pop(false, true).left_behind, &jobs_.back());
}

// What the worker in slot 0 gets of the lanes of 17 slots and of threads outside.
class EntryLanes : public testing::Test {
 protected:
  static constexpr unsigned slots = 17;
  EntryLanes() { queue_.make_lanes(slots); }
  fiber& add_fiber(unsigned lane) {
    queue_.push(fibers_.emplace_back(), lane);
    return fibers_.back();
  }

  injection_queue queue_;
  entry_access worker_;
  std::deque<fiber> fibers_;
  std::deque<heist::detail::job> jobs_;
};

TEST_F(EntryLanes, ThreadsOutsideHaveEachOtherTurn) {
  for (int i = 0; i < 3; ++i) add_fiber(0);
  fiber& outside = add_fiber(queue_.lane_of_outsiders());
  fiber& other = add_fiber(1);
  EXPECT_EQ(queue_.size(), 5U);
  unsigned pops = 1;
  while (queue_.pop(worker_, false, false).resumable != &outside) ++pops;
  EXPECT_LE(pops, 2U);
  while (queue_.has_for(worker_)) EXPECT_NE(queue_.pop(worker_, false, false).resumable, &other);
  EXPECT_FALSE(queue_.empty());
  EXPECT_EQ(queue_.pop_fiber(), &other);
  EXPECT_TRUE(queue_.empty());
}

TEST_F(EntryLanes, AllOthersHaveTheirTurn) {
  std::set<const fiber*> missing;
  for (unsigned lane = 1; lane < slots; ++lane) {
    missing.insert(&add_fiber(lane));
    for (int i = 0; i < 30; ++i) add_fiber(lane);
  }
  for (unsigned pops = 1; pops < slots; ++pops)
    missing.erase(queue_.pop_elsewhere(worker_, nullptr, false).resumable);
  EXPECT_TRUE(missing.empty());
}

TEST_F(EntryLanes, AreAllFoundByAFewLooks) {
  for (unsigned lane = 1; lane < slots; ++lane) {
    const fiber& only = add_fiber(lane);
    unsigned looks = 1;
    while (looks < slots && queue_.pop_elsewhere(worker_, nullptr, false).resumable != &only)
      ++looks;
    EXPECT_LE(looks, 3U) << lane;
  }
}

TEST_F(EntryLanes, ForksHaveTheirTurnBesideFibersThatNeverEnd) {
  for (const unsigned lanes : {1U, 2U, 3U, slots - 1}) {
    for (unsigned lane = 1; lane <= lanes; ++lane) queue_.push(jobs_.emplace_back(), lane);
    unsigned pops = 0;
    for (unsigned found = 0; found != lanes && pops < for_ever; ++pops) {
      for (unsigned lane = 1; lane <= lanes; ++lane) add_fiber(lane);
      if (queue_.pop_elsewhere(worker_, nullptr, false).left_behind != nullptr) ++found;
    }
    EXPECT_LE(pops, 3 * lanes);  // a look finds nothing where its eight lanes are empty
    while (queue_.pop_fiber() != nullptr) {
    }
  }
}

TEST_F(EntryLanes, KeepTheirLastFiberForTheirOwnUntilTheThirdLook) {
  const auto look = [this] {
    fiber* found = nullptr;
    for (int looks = 0; found == nullptr && looks < 2; ++looks)  // at all lanes
      found = queue_.pop_elsewhere(worker_, nullptr, true).resumable;
    return found;
  };
  fiber& first = add_fiber(3);
  EXPECT_EQ(look(), nullptr);
  EXPECT_EQ(look(), nullptr);
  EXPECT_EQ(look(), &first);
  for (int i = 0; i < 10; ++i) {  // its own worker takes each
    add_fiber(3);
    EXPECT_EQ(look(), nullptr);
    EXPECT_NE(queue_.pop_fiber(), nullptr);
  }
  add_fiber(3);
  EXPECT_EQ(look(), nullptr);
  EXPECT_NE(queue_.pop_fiber(), nullptr);
  // One that stays is found, whatever comes and goes in the others.
  fiber& stays = add_fiber(4);
  fiber* found = nullptr;
  for (unsigned looks = 0; found == nullptr && looks < for_ever; ++looks) {
    entry_access other{.lane = 3};
    add_fiber(3);
    found = look();
    if (found != &stays) {
      EXPECT_EQ(found, nullptr);
      EXPECT_NE(queue_.pop(other, false, false).resumable, nullptr);
    }
  }
  EXPECT_EQ(found, &stays);
  fiber& older = add_fiber(9);
  add_fiber(9);
  EXPECT_EQ(look(), &older);
}

TEST_F(EntryLanes, GiveAGuestWhatServesItsCall) {
  const numbered call(priority::normal);
  add_fiber(0);
  add_fiber(5);
  fiber& own = add_fiber(5);
  own.serves = &call;
  EXPECT_EQ(queue_.pop_for(call, worker_).resumable, nullptr);
  EXPECT_EQ(queue_.pop_elsewhere(worker_, &call, false).resumable, &own);
  EXPECT_EQ(queue_.pop_elsewhere(worker_, &call, false).resumable, nullptr);
  heist::detail::job left;
  queue_.push(left, 5);
  EXPECT_EQ(queue_.size(), 3U);
  EXPECT_FALSE(queue_.remove(jobs_.emplace_back()));
  EXPECT_TRUE(queue_.remove(left));
  EXPECT_EQ(queue_.size(), 2U);
}

// ----
// Roots leave the entry of a pool by priority, each level in order, and no level starves; those of
// a family can be taken out by the one that waits for them.

using heist::detail::root_family;
using heist::detail::root_queue;

struct numbered_root : heist::detail::family_root {
  numbered_root(priority p, int n, root_family* of = nullptr)
      : family_root(nullptr, of), number(n) {
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
