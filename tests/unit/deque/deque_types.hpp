// The deques that the tests over all of them run on, and what each one's answers mean.
//
// A test is generic over a case: its name, its type, and its rules, which are the sequential deque that a
// caller may believe in. A deque is added by a case here and its name in all_deques.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "heist/deque/concept.hpp"
#include "heist/deque/locked.hpp"
#include "heist/error.hpp"

namespace heist_test {

// When push answers full.
enum class fullness : std::uint8_t {
  never,     // it grows
  by_items,  // when there are as many items as it has room for
  by_positions,  // when its positions are used up: they come back only where the owner finds or makes it empty
};

// What must have happened during a steal that answers lost.
enum class loss : std::uint8_t {
  never,      // it doesn't answer that
  oldest,     // another took the oldest item
  reset,      // another took the oldest item, or the owner found the deque empty and began again
  any_taken,  // another took an item, the oldest or the newest
  any_call,   // another operation ran
};

struct deque_rules {
  fullness full = fullness::never;
  loss lost = loss::never;
  bool hides = false;  // a steal may answer empty when all items are private to the owner
};

// How many positions the sequential deque has left.
class room {
 public:
  room(fullness rule, std::size_t capacity) : rule_(rule), capacity_(capacity) {}

  [[nodiscard]] bool is_full(std::size_t items) const {
    if (rule_ == fullness::never) return false;
    return (rule_ == fullness::by_items ? items : positions_) >= capacity_;
  }
  void pushed() { ++positions_; }
  // What was left by a pop, which may have found nothing.
  void popped(std::size_t items_left) { positions_ = items_left == 0 ? 0 : positions_ - 1; }
  [[nodiscard]] std::size_t positions() const {
    return rule_ == fullness::by_positions ? positions_ : 0;
  }

 private:
  fullness rule_;
  std::size_t capacity_;
  std::size_t positions_ = 0;
};

struct locked_case {
  static constexpr const char* name = "locked";
  template <class T>
  using deque = heist::deque::locked<T>;
  static constexpr deque_rules rules{};
};

using all_deques = testing::Types<locked_case>;

struct case_names {
  template <class Case>
  static std::string GetName(int) {
    return Case::name;
  }
};

// Whether a deque can be made with this capacity: some want a power of two.
template <class Deque>
bool has_capacity(std::size_t capacity) {
  try {
    const Deque made(capacity);
    return true;
  } catch (const heist::usage_error&) {
    return false;
  }
}

// Shows all items to thieves, where the owner has a private part.
template <class Owner>
void expose(Owner& owner) {
  if constexpr (requires { owner.expose_all(); }) owner.expose_all();
}

}  // namespace heist_test
