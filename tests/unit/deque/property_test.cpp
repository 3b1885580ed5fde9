// In generated sequences of operations on one thread, every deque gives the same answers as the
// locked one.
//
// A sequence that disagrees is shrunk as long as the rest still disagrees, and printed with its
// seed.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/deque/deque_types.hpp"

namespace heist_test {
namespace {

using heist::deque::batched_deque;
using heist::deque::push_result;
using heist::deque::steal_result;
using word = std::uintptr_t;

enum class step : std::uint8_t { push, pop, steal, exposed_steal, batch };
using steps = std::vector<step>;

std::string to_text(const steps& all) {
  static constexpr const char* names[] = {"push", "pop", "steal", "expose and steal",
                                          "steal several"};
  std::string text;
  for (const step s : all)
    text += std::string(text.empty() ? "" : ", ") + names[static_cast<unsigned>(s)];
  return text;
}

// Both deques, side by side. Each function returns a description of the disagreement, or nothing.
template <class Case>
class pair_of_deques {
 public:
  using deque = typename Case::template deque<word>;
  using complaint = std::optional<std::string>;

  explicit pair_of_deques(std::size_t capacity)
      : tested_(capacity), own_(64), left_(Case::rules.full, capacity) {}

  complaint take(step s) {
    switch (s) {
      case step::push:
        return push();
      case step::pop:
        return pop();
      case step::steal:
        return steal(Case::rules.hides);
      case step::exposed_steal:
        expose(owner_);
        return steal(false);
      case step::batch:
        if constexpr (batched_deque<deque>) return steal_several();
        return steal(Case::rules.hides);
    }
    return std::nullopt;
  }

  // The remaining items must be those of the oracle.
  complaint end() {
    while (oracle_.size() != 0)
      if (const complaint c = pop()) return c;
    return pop();
  }

 private:
  complaint push() {
    const bool must_refuse = left_.is_full(oracle_.size());
    const bool refuses = owner_.push(next_) == push_result::full;
    if (refuses != must_refuse)
      return refuses ? "push: full too early" : "push: ok where it is full";
    if (refuses) return std::nullopt;
    left_.pushed();
    if (oracle_.owner().push(next_++) != push_result::ok) return "the oracle is full";
    return sizes_agree();
  }

  complaint pop() {
    const auto wanted = oracle_.owner().pop();
    const auto got = owner_.pop();
    if (wanted)
      left_.popped(oracle_.size());
    else
      left_.found_nothing();
    if (got != wanted) return "pop: " + text_of(got) + " instead of " + text_of(wanted);
    return sizes_agree();
  }

  complaint steal(bool may_hide) {
    const auto got = thief_.steal();
    if (may_hide && got.result == steal_result::empty) return std::nullopt;
    return agrees_with_steal("steal", got.result, got.item);
  }

  complaint steal_several() {
    auto mine = own_.owner();
    const auto got = thief_.steal_into(mine);
    if (Case::rules.hides && got.result == steal_result::empty) return std::nullopt;
    if (const complaint c = agrees_with_steal("steal several", got.result, got.item)) return c;
    std::vector<word> kept;
    while (const auto one = mine.pop()) kept.insert(kept.begin(), *one);
    if (got.result == steal_result::taken && kept.size() != got.kept)
      return "steal several: " + std::to_string(kept.size()) + " kept, not " +
             std::to_string(got.kept);
    for (const word one : kept)
      if (const complaint c = agrees_with_steal("kept", steal_result::taken, one)) return c;
    return sizes_agree();
  }

  complaint agrees_with_steal(const std::string& what, steal_result result, word item) {
    const auto wanted = oracle_.thief().steal();
    if (result != wanted.result || (result == steal_result::taken && item != wanted.item))
      return what + ": " + text_of(result, item) + " instead of " +
             text_of(wanted.result, wanted.item);
    return std::nullopt;
  }

  complaint sizes_agree() {
    if (owner_.size_hint() != oracle_.size())
      return "size: " + std::to_string(owner_.size_hint()) + " instead of " +
             std::to_string(oracle_.size());
    return std::nullopt;
  }

  static std::string text_of(std::optional<word> item) {
    return item ? std::to_string(*item) : "nothing";
  }
  static std::string text_of(steal_result result, word item) {
    return result == steal_result::taken  ? std::to_string(item)
           : result == steal_result::lost ? "lost"
                                          : "nothing";
  }

  deque tested_;
  deque own_;  // the thief's, for steals of several
  decltype(std::declval<deque&>().owner()) owner_ = tested_.owner();
  decltype(std::declval<deque&>().thief()) thief_ = tested_.thief();
  heist::deque::locked<word> oracle_;
  room left_;
  word next_ = 1;
};

template <class Case>
std::optional<std::string> disagreement(const steps& all, std::size_t capacity) {
  pair_of_deques<Case> both(capacity);
  for (const step s : all)
    if (const auto complaint = both.take(s)) return complaint;
  return both.end();
}

// Returns a shorter sequence that fails, from which no single step can be removed.
steps shrunk(steps all, const std::function<bool(const steps&)>& fails) {
  for (std::size_t length = all.size(); length > 0;) {
    bool is_shorter = false;
    for (std::size_t from = 0; from + length <= all.size();) {
      steps less = all;
      const auto first = less.begin() + static_cast<std::ptrdiff_t>(from);
      less.erase(first, first + static_cast<std::ptrdiff_t>(length));
      if (fails(less)) {
        all = less;
        is_shorter = true;
      } else {
        from += length;
      }
    }
    if (!is_shorter) length /= 2;
  }
  return all;
}

// Some sequences have mostly pushes, some mostly pops, and some change in the middle.
steps generated(std::uint32_t seed) {
  std::mt19937 random(seed);
  steps all;
  for (int phase = 0; phase < 3; ++phase) {
    std::discrete_distribution<unsigned> kind(
        {static_cast<double>(1 + random() % 6), static_cast<double>(random() % 5),
         static_cast<double>(random() % 3), static_cast<double>(random() % 3),
         static_cast<double>(random() % 3)});
    for (auto n = random() % 40; n > 0; --n) all.push_back(static_cast<step>(kind(random)));
  }
  return all;
}

// The shortest sequence found that disagrees, as text; empty if all agree.
template <class Case>
std::string first_disagreement(std::uint32_t seeds, std::size_t* length = nullptr) {
  using deque = typename Case::template deque<word>;
  for (std::size_t capacity = 1; capacity <= 8; ++capacity) {
    if (!has_capacity<deque>(capacity)) continue;
    for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
      const steps all = generated(seed);
      const auto fails = [&](const steps& s) {
        return disagreement<Case>(s, capacity).has_value();
      };
      if (!fails(all)) continue;
      const steps least = shrunk(all, fails);
      if (length != nullptr) *length = least.size();
      return std::string(Case::name) + " of capacity " + std::to_string(capacity) + ", seed " +
             std::to_string(seed) + ": " + to_text(least) + ": " +
             disagreement<Case>(least, capacity).value();
    }
  }
  return "";
}

template <class Case>
class AnyDeque : public testing::Test {};
TYPED_TEST_SUITE(AnyDeque, all_deques, case_names);

TYPED_TEST(AnyDeque, AnswersWhatTheLockedOneAnswers) {
  EXPECT_EQ(first_disagreement<TypeParam>(500), "");
}

// The table of operations of an article on job systems (Reinalter, Job System 2.0, part 3), which
// has bottom and top: their difference is the number of items.
TYPED_TEST(AnyDeque, DoesWhatATableOfOperationsSays) {
  using answer = std::optional<word>;
  typename TypeParam::template deque<word> deque(64);
  auto owner = deque.owner();
  auto thief = deque.thief();
  const auto size = [&] { return owner.size_hint(); };
  EXPECT_EQ(size(), 0U);
  for (word i = 0; i < 3; ++i) {
    EXPECT_EQ(owner.push(i), push_result::ok);
    EXPECT_EQ(size(), i + 1);
  }
  expose(owner);
  EXPECT_EQ(thief.steal().item, 0U);
  EXPECT_EQ(size(), 2U);
  EXPECT_EQ(owner.pop(), answer(2));
  EXPECT_EQ(size(), 1U);
  EXPECT_EQ(owner.pop(), answer(1));
  EXPECT_EQ(size(), 0U);
  EXPECT_EQ(owner.pop(), answer());
}

// A faulty deque whose pop takes the oldest item as soon as there are three.
template <class T>
class reversed_at_three {
 public:
  explicit reversed_at_three(std::size_t capacity) : deque_(capacity) {}

  struct owner_end {
    heist::deque::locked<T>* deque;
    push_result push(T one) noexcept { return deque->owner().push(one); }
    std::optional<T> pop() noexcept {
      if (deque->size() == 3) return deque->thief().steal().item;
      return deque->owner().pop();
    }
    [[nodiscard]] std::size_t size_hint() const noexcept { return deque->size(); }
  };
  owner_end owner() noexcept { return {&deque_}; }
  auto thief() noexcept { return deque_.thief(); }

 private:
  heist::deque::locked<T> deque_;
};

struct reversed_case {
  static constexpr const char* name = "reversed";
  template <class T>
  using deque = reversed_at_three<T>;
  static constexpr deque_rules rules{};
};

TEST(AnyDequeTest, AWrongDequeIsFoundAndItsSequenceShrunk) {
  std::size_t length = 0;
  const std::string found = first_disagreement<reversed_case>(50, &length);
  EXPECT_NE(found.find("push, push, push: pop: 1 instead of 3"), std::string::npos) << found;
  EXPECT_EQ(length, 3U);
}

}  // namespace
}  // namespace heist_test
