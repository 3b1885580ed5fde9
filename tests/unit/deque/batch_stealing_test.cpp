// Deques whose thieves take several items at once: how many they take, which, and where these go.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "heist/deque/multi_steal.hpp"
#include "heist/deque/steal_half.hpp"
#include "heist/error.hpp"

namespace heist_test {
namespace {

using heist::deque::push_result;
using heist::deque::steal_result;
using multi_steal = heist::deque::multi_steal<std::uintptr_t>;
using steal_half = heist::deque::steal_half<std::uintptr_t>;

template <class Deque>
void push_many(Deque& deque, std::uintptr_t first, std::uintptr_t last) {
  for (std::uintptr_t i = first; i <= last; ++i) ASSERT_EQ(deque.owner().push(i), push_result::ok);
}

template <class Deque>
std::vector<std::uintptr_t> pop_all(Deque& deque) {
  std::vector<std::uintptr_t> all;
  while (const auto one = deque.owner().pop()) all.push_back(*one);
  return all;
}

using items = std::vector<std::uintptr_t>;

TEST(MultiSteal, AThiefTakesTheOldestKAndKeepsTheirOrder) {
  multi_steal victim(8, 3);
  multi_steal own(8, 3);
  push_many(victim, 1, 5);
  auto mine = own.owner();
  const auto answer = victim.thief().steal_into(mine);
  EXPECT_EQ(answer.result, steal_result::taken);
  EXPECT_EQ(answer.item, 1U);
  EXPECT_EQ(answer.kept, 2U);
  EXPECT_EQ(own.thief().steal().item, 2U);
  EXPECT_EQ(pop_all(own), items{3});
  EXPECT_EQ(pop_all(victim), (items{5, 4}));
}

TEST(MultiSteal, AThiefTakesWhatThereIsIfThatIsLess) {
  multi_steal victim(8, 4);
  multi_steal own(8, 4);
  auto mine = own.owner();
  EXPECT_EQ(victim.thief().steal_into(mine).result, steal_result::empty);
  push_many(victim, 1, 2);
  EXPECT_EQ(victim.thief().steal_into(mine).kept, 1U);
  EXPECT_EQ(pop_all(own), items{2});
  EXPECT_EQ(victim.owner().pop(), std::nullopt);
}

TEST(MultiSteal, ThePlainStealTakesOne) {
  multi_steal victim(8, 4);
  push_many(victim, 1, 4);
  EXPECT_EQ(victim.thief().steal().item, 1U);
  EXPECT_EQ(victim.owner().size_hint(), 3U);
}

TEST(MultiSteal, TheThiefsDequeGrowsAsFarAsTheBatchNeeds) {
  multi_steal victim(64, 64);
  multi_steal own(1, 64);
  push_many(victim, 1, 64);
  push_many(own, 100, 100);
  auto mine = own.owner();
  EXPECT_EQ(victim.thief().steal_into(mine).kept, 63U);
  EXPECT_EQ(own.capacity(), 64U);
  EXPECT_EQ(own.thief().steal().item, 100U);
  EXPECT_EQ(own.thief().steal().item, 2U);
  EXPECT_EQ(own.owner().pop(), 64U);
}

TEST(MultiSteal, ThePopIsTheNewestAlsoWithinReach) {
  multi_steal deque(4, 3);
  push_many(deque, 1, 6);
  EXPECT_EQ(pop_all(deque), (items{6, 5, 4, 3, 2, 1}));
  push_many(deque, 7, 8);
  EXPECT_EQ(deque.thief().steal().item, 7U);
}

TEST(MultiSteal, LimitsAreNamed) {
  const auto message = [](std::size_t capacity, std::size_t k) -> std::string {
    try {
      const multi_steal made(capacity, k);
    } catch (const heist::usage_error& e) {
      return e.what();
    }
    return {};
  };
  EXPECT_EQ(message(4, 1), "");
  EXPECT_EQ(message(4, multi_steal::max_k), "");
  EXPECT_EQ(message(4, 0), "multi_steal: k is 0; it must be from 1 to 1024");
  EXPECT_EQ(message(4, 1025), "multi_steal: k is 1025; it must be from 1 to 1024");
  EXPECT_EQ(message(3, 2),
            "multi_steal: a capacity of 3; it must be a power of two, at most 4294967296");
}

// A thief's exchange fails while this is set, as if another one had been faster.
inline bool exchanges_fail = false;
template <class State>
class failing_word : public heist::deque::wide_word<State> {
 public:
  using heist::deque::wide_word<State>::wide_word;
  bool compare_exchange(State expected, State desired) noexcept {
    return !exchanges_fail && heist::deque::wide_word<State>::compare_exchange(expected, desired);
  }
};
struct failing_atomics : heist::deque::std_atomics {
  template <class State>
  using wide_word = failing_word<State>;
};

TEST(MultiSteal, ALostStealSaysHowManyMoreItWanted) {
  using deque = heist::deque::multi_steal<std::uintptr_t, failing_atomics>;
  deque victim(8, 3);
  deque own(4, 3);
  push_many(victim, 1, 5);
  auto mine = own.owner();
  exchanges_fail = true;
  const auto lost = victim.thief().steal_into(mine);
  exchanges_fail = false;
  EXPECT_EQ(lost.result, steal_result::lost);
  EXPECT_EQ(lost.kept, 2U);
  EXPECT_EQ(mine.size_hint(), 0U);
  EXPECT_EQ(victim.thief().steal_into(mine).kept, 2U);
}

TEST(MultiSteal, AThiefTakesKOrElseOne) {
  multi_steal victim(8, 3, heist::steal_rule::k_or_one);
  multi_steal own(4, 3);
  push_many(victim, 1, 5);
  auto mine = own.owner();
  EXPECT_EQ(victim.thief().steal_into(mine).kept, 2U);  // of five it took 1, 2 and 3
  for (const std::uintptr_t item : {4U, 5U}) {
    const auto answer = victim.thief().steal_into(mine);
    EXPECT_EQ(answer.item, item);
    EXPECT_EQ(answer.kept, 0U);
  }
  EXPECT_EQ(victim.thief().steal_into(mine).result, heist::deque::steal_result::empty);
  EXPECT_EQ(pop_all(own), (items{3, 2}));
}

TEST(StealHalf, AThiefTakesHalfOfWhatItSeesRoundedUp) {
  for (std::uintptr_t count = 1; count <= 9; ++count) {
    steal_half victim(2);
    steal_half own(1);
    push_many(victim, 1, count);
    auto mine = own.owner();
    const auto answer = victim.thief().steal_into(mine);
    EXPECT_EQ(answer.item, 1U);
    EXPECT_EQ(answer.kept + 1, (count + 1) / 2);
    EXPECT_EQ(victim.thief().size_hint(), count / 2);
    EXPECT_EQ(own.owner().pop().value_or(1), (count + 1) / 2);
  }
}

TEST(StealHalf, AThiefTakesNoMoreThanItsLimit) {
  steal_half victim(256);
  steal_half own(1);
  push_many(victim, 1, 200);
  auto mine = own.owner();
  EXPECT_EQ(victim.thief().steal_into(mine).kept + 1, steal_half::max_batch);
}

TEST(StealHalf, LimitsAreNamed) {
  EXPECT_THROW(steal_half(0), heist::usage_error);
  EXPECT_THROW(steal_half(3), heist::usage_error);
}

// Compares two deques of one kind, whose owners steal from each other, with two vectors.
template <class Deque, class Share>
void check_against_vectors(unsigned seed, Deque& a, Deque& b, Share share) {
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  Deque* const deques[] = {&a, &b};
  items oracle[2];
  for (std::uintptr_t i = 1; i < 2000; ++i) {
    const std::size_t who = random() % 2;
    auto owner = deques[who]->owner();
    items& own = oracle[who];
    items& others = oracle[1 - who];
    const auto what = random() % 8;
    if (what < 4) {
      ASSERT_EQ(owner.push(i), push_result::ok);
      own.push_back(i);
    } else if (what < 6) {
      const auto got = owner.pop();
      ASSERT_EQ(got.has_value(), !own.empty());
      if (!got) continue;
      ASSERT_EQ(*got, own.back());
      own.pop_back();
    } else {
      const auto got = deques[1 - who]->thief().steal_into(owner);
      ASSERT_EQ(got.result, others.empty() ? steal_result::empty : steal_result::taken);
      if (others.empty()) continue;
      const auto n = static_cast<items::difference_type>(share(others.size()));
      ASSERT_EQ(got.item, others.front());
      ASSERT_EQ(got.kept + 1, static_cast<std::size_t>(n));
      own.insert(own.end(), others.begin() + 1, others.begin() + n);
      others.erase(others.begin(), others.begin() + n);
    }
    if (what == 7) owner.shrink_to_fit();
  }
}

TEST(BatchStealing, AgreesWithVectorsOverRandomOperations) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const std::size_t k = 1 + seed % 5;
    multi_steal a(1, k);
    multi_steal b(2, k);
    check_against_vectors(seed, a, b, [&](std::size_t n) { return n < k ? n : k; });
    steal_half c(1);
    steal_half d(2);
    check_against_vectors(seed, c, d, [](std::size_t n) {
      return (n + 1) / 2 < steal_half::max_batch ? (n + 1) / 2 : steal_half::max_batch;
    });
  }
}

}  // namespace
}  // namespace heist_test
