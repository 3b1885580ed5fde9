// Tests the checker of histories on histories written by hand.
#include "tests/unit/deque/linearizability.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

namespace heist_test {
namespace {

constexpr deque_rules growing{fullness::never, loss::oldest, false};

operation push(char item, std::uint64_t called, std::uint64_t returned) {
  return {0, call::push, reply::done, {item}, called, returned};
}
operation refused(std::uint64_t called, std::uint64_t returned) {
  return {0, call::push, reply::full, {}, called, returned};
}
operation pop(char item, std::uint64_t called, std::uint64_t returned) {
  return {0, call::pop, reply::taken, {item}, called, returned};
}
operation pop_empty(std::uint64_t called, std::uint64_t returned) {
  return {0, call::pop, reply::empty, {}, called, returned};
}
operation steal(unsigned thread, std::string items, std::uint64_t called, std::uint64_t returned) {
  return {thread, call::steal, reply::taken, std::move(items), called, returned};
}
operation steal(unsigned thread, reply answer, std::uint64_t called, std::uint64_t returned) {
  return {thread, call::steal, answer, {}, called, returned};
}

bool sound(const history& h, const deque_rules& rules = growing, std::size_t capacity = 4) {
  return is_linearizable(h, rules, capacity);
}

TEST(Linearizability, OneThreadMustDoWhatTheSequentialDequeDoes) {
  EXPECT_TRUE(sound({}));
  EXPECT_TRUE(sound({push(1, 1, 2), push(2, 3, 4), pop(2, 5, 6), pop(1, 7, 8), pop_empty(9, 10)}));
  EXPECT_FALSE(sound({push(1, 1, 2), push(2, 3, 4), pop(1, 5, 6)}));
  EXPECT_FALSE(sound({push(1, 1, 2), pop_empty(3, 4)}));
  EXPECT_FALSE(sound({pop(1, 1, 2)}));
}

TEST(Linearizability, AStealTakesTheOldest) {
  const history start = {push(1, 1, 2), push(2, 3, 4)};
  history h = start;
  h.push_back(steal(1, {1}, 5, 6));
  EXPECT_TRUE(sound(h));
  h = start;
  h.push_back(steal(1, {2}, 5, 6));
  EXPECT_FALSE(sound(h));
  h = start;
  h.push_back(steal(1, {1, 2}, 5, 6));
  EXPECT_TRUE(sound(h)) << "two in one step";
  h = start;
  h.push_back(steal(1, {2, 1}, 5, 6));
  EXPECT_FALSE(sound(h));
}

TEST(Linearizability, OverlappingOperationsMayGoEitherWayButNotBothWays) {
  EXPECT_TRUE(sound({push(1, 1, 4), steal(1, {1}, 2, 3)}));
  EXPECT_TRUE(sound({push(1, 1, 4), steal(1, reply::empty, 2, 3)}));
  EXPECT_TRUE(sound({push(1, 1, 2), pop(1, 3, 6), steal(1, reply::empty, 4, 5)}));
  EXPECT_FALSE(sound({push(1, 1, 2), pop(1, 3, 6), steal(1, {1}, 4, 5)})) << "taken twice";
  EXPECT_FALSE(sound({push(1, 1, 2), steal(1, {1}, 3, 6), steal(2, {1}, 4, 5)}));
  // The pop found nothing, so the steal was before it; but then there was no item for the second
  // steal.
  EXPECT_FALSE(sound({push(1, 1, 2), pop_empty(3, 8), steal(1, reply::empty, 4, 5)}));
}

TEST(Linearizability, WhatReturnedBeforeACallIsBeforeIt) {
  EXPECT_FALSE(sound({push(1, 1, 2), steal(1, reply::empty, 3, 4)}));
  EXPECT_FALSE(sound({push(1, 3, 4), steal(1, {1}, 1, 2), pop_empty(5, 6)}));
  EXPECT_FALSE(sound({push(1, 1, 2), push(2, 3, 4), steal(1, {2}, 5, 6), steal(1, {1}, 7, 8)}));
  EXPECT_FALSE(sound({push(1, 1, 2), push(2, 3, 4), steal(1, {2}, 5, 6), steal(2, {1}, 7, 8)}));
  EXPECT_TRUE(sound({push(1, 1, 2), push(2, 3, 4), steal(1, {2}, 5, 7), steal(2, {1}, 6, 8)}));
}

TEST(Linearizability, ASearchTriesEveryOrder) {
  // The steal of 2 comes after that of 1, which was called last and returned last.
  EXPECT_TRUE(sound({push(1, 1, 2), push(2, 3, 4), push(3, 5, 20), steal(1, {2}, 6, 18),
                     steal(2, {3}, 7, 19), steal(3, {1}, 8, 17), pop_empty(21, 22)}));
  EXPECT_FALSE(sound({push(1, 1, 2), push(2, 3, 4), push(3, 5, 20), steal(1, {2}, 6, 18),
                      steal(2, {3}, 7, 19), steal(3, {1}, 8, 17), pop(3, 21, 22)}));
}

TEST(Linearizability, FullIsSaidAtTheCapacityOnly) {
  constexpr deque_rules bounded{fullness::by_items, loss::oldest, false};
  const history two = {push(1, 1, 2), push(2, 3, 4)};
  history h = two;
  h.push_back(refused(5, 6));
  EXPECT_TRUE(sound(h, bounded, 2));
  EXPECT_FALSE(sound(h, bounded, 3));
  EXPECT_FALSE(sound(h, growing, 2));
  h = two;
  h.push_back(push(3, 5, 6));
  EXPECT_FALSE(sound(h, bounded, 2));
  h = two;
  h.insert(h.end(), {steal(1, {1}, 5, 6), refused(7, 8)});
  EXPECT_FALSE(sound(h, bounded, 2)) << "a stolen item's place is free";
}

TEST(Linearizability, PositionsComeBackWithThePopThatEmpties) {
  constexpr deque_rules positions{fullness::until_left, loss::reset, false};
  const history used = {push(1, 1, 2), push(2, 3, 4), steal(1, {1}, 5, 6)};
  history h = used;
  h.push_back(refused(7, 8));
  EXPECT_TRUE(sound(h, positions, 2));
  h = used;
  h.push_back(push(3, 7, 8));
  EXPECT_FALSE(sound(h, positions, 2));
  h = used;
  h.insert(h.end(), {pop(2, 7, 8), push(3, 9, 10), push(4, 11, 12), refused(13, 14)});
  EXPECT_TRUE(sound(h, positions, 2));
  constexpr deque_rules until_found{fullness::until_found, loss::reset, false};
  EXPECT_FALSE(sound(h, until_found, 2)) << "the pop left nothing, but it found something";
  h = used;
  h.insert(h.end(), {pop(2, 7, 8), pop_empty(9, 10), push(3, 11, 12), push(4, 13, 14)});
  EXPECT_TRUE(sound(h, until_found, 2));
}

TEST(Linearizability, AHiddenItemIsNoItemForThieves) {
  constexpr deque_rules hiding{fullness::never, loss::any_call, true};
  EXPECT_TRUE(sound({push(1, 1, 2), steal(1, reply::empty, 3, 4)}, hiding));
  EXPECT_FALSE(sound({push(1, 1, 2), pop_empty(3, 4)}, hiding));
}

TEST(Linearizability, ALostStealOverlapsOneThatTookTheOldestItem) {
  const operation one = push(1, 1, 2);
  EXPECT_FALSE(sound({one, steal(1, reply::lost, 3, 4)}));
  EXPECT_TRUE(sound({one, steal(1, reply::lost, 3, 6), steal(2, {1}, 4, 5)}));
  EXPECT_TRUE(sound({one, steal(1, reply::lost, 3, 6), pop(1, 4, 5)}));
  EXPECT_FALSE(sound({one, steal(1, reply::lost, 3, 4), steal(2, {1}, 5, 6)}));
  EXPECT_FALSE(sound({one, steal(2, {1}, 3, 4), steal(1, reply::lost, 5, 6)}));
  // The newest of two items is not the oldest.
  const operation two = push(2, 3, 4);
  EXPECT_FALSE(sound({one, two, steal(1, reply::lost, 5, 8), pop(2, 6, 7)}));
  // Two threads may lose to the same steal, but not one thread twice.
  EXPECT_TRUE(
      sound({one, steal(1, reply::lost, 3, 6), steal(2, {1}, 4, 5), steal(3, reply::lost, 2, 7)}));
  EXPECT_FALSE(
      sound({one, steal(2, {1}, 3, 8), steal(1, reply::lost, 4, 5), steal(1, reply::lost, 6, 7)}));
}

TEST(Linearizability, AThiefMayFindNothingAndThenLoseToOnePop) {
  const operation one = push(1, 1, 2);
  const operation slow_pop = pop(1, 3, 8);
  EXPECT_TRUE(sound({one, slow_pop, steal(1, reply::empty, 4, 5), steal(1, reply::lost, 6, 7)}));
  EXPECT_FALSE(sound({one, slow_pop, steal(1, reply::lost, 4, 5), steal(1, reply::lost, 6, 7)}));
}

TEST(Linearizability, WinnersAreSharedOutSoThatAllLostStealsHaveOne) {
  // The operation on 2 overlaps both lost steals, that on 1 only the first, so the first must have
  // lost to 1.
  const history both = {push(1, 1, 2),
                        push(2, 3, 4),
                        steal(2, {1}, 5, 9),
                        steal(3, {2}, 6, 13),
                        steal(1, reply::lost, 7, 8),
                        steal(1, reply::lost, 10, 11)};
  EXPECT_TRUE(sound(both));
  history one_more = both;
  one_more.push_back(steal(1, reply::lost, 12, 14));
  EXPECT_FALSE(sound(one_more));
}

TEST(Linearizability, WhatMakesAStealLoseIsARule) {
  const operation one = push(1, 1, 2);
  const operation two = push(2, 3, 4);
  const auto with = [](loss rule) { return deque_rules{fullness::never, rule, false}; };
  const history beside_pop = {one, two, steal(1, reply::lost, 5, 8), pop(2, 6, 7)};
  EXPECT_FALSE(sound(beside_pop, with(loss::reset)));
  EXPECT_TRUE(sound(beside_pop, with(loss::any_taken)));
  const history beside_push = {one, steal(1, reply::lost, 3, 6), push(2, 4, 5)};
  EXPECT_FALSE(sound(beside_push, with(loss::any_taken)));
  EXPECT_TRUE(sound(beside_push, with(loss::any_call)));
  const history beside_reset = {steal(1, reply::lost, 1, 4), pop_empty(2, 3)};
  EXPECT_FALSE(sound(beside_reset, with(loss::oldest)));
  EXPECT_TRUE(sound(beside_reset, with(loss::reset)));
  EXPECT_FALSE(sound({one, steal(1, reply::lost, 3, 6), steal(2, {1}, 4, 5)}, with(loss::never)));
}

TEST(Linearizability, TheTextHasALineForEachOperationInOrder) {
  EXPECT_EQ(to_text({steal(1, {1}, 2, 4), push(1, 1, 3)}),
            "thread 0, from 1 to 3: push done 1\nthread 1, from 2 to 4: steal taken 1\n");
}

}  // namespace
}  // namespace heist_test
