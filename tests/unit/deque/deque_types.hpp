// The deques on which tests of all deques run, and the meaning of each deque's answers.
//
// A test is generic over a case: its name, its type, and its rules, which define the sequential
// deque that callers see. To add a deque, add a case here and its name to all_deques.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "heist/deque/abp.hpp"
#include "heist/deque/bounded_ring.hpp"
#include "heist/deque/chase_lev.hpp"
#include "heist/deque/concept.hpp"
#include "heist/deque/locked.hpp"
#include "heist/deque/multi_steal.hpp"
#include "heist/deque/split.hpp"
#include "heist/deque/steal_half.hpp"
#include "heist/error.hpp"

namespace heist_test {

// When push answers full.
enum class fullness : std::uint8_t {
  never,     // it grows
  by_items,  // when the number of items is the capacity
  // When its positions are used up, stolen ones too; a pop that leaves or finds nothing frees them.
  until_left,
  until_found,  // the same, but only a pop that finds nothing frees them
};

// The operations to which a steal may have lost.
enum class loss : std::uint8_t {
  never,      // none: it never answers lost
  oldest,     // one that took the oldest item
  reset,      // one that took the oldest item, or a pop that found nothing and began again
  any_taken,  // one that took an item, the oldest or the newest
  any_call,   // any
};

struct deque_rules {
  fullness full = fullness::never;
  loss lost = loss::never;
  bool hides = false;  // a steal may answer empty when all items are private to the owner
};

// The number of positions that the sequential deque has left.
class room {
 public:
  room(fullness rule, std::size_t capacity) : rule_(rule), capacity_(capacity) {}

  [[nodiscard]] bool is_full(std::size_t items) const {
    if (rule_ == fullness::never) return false;
    return (rule_ == fullness::by_items ? items : positions_) >= capacity_;
  }
  void pushed() { ++positions_; }
  void popped(std::size_t items_left) {
    positions_ = items_left == 0 && rule_ == fullness::until_left ? 0 : positions_ - 1;
  }
  void found_nothing() { positions_ = 0; }
  // The state on which the next answers depend, besides the items.
  [[nodiscard]] std::size_t positions() const {
    return rule_ == fullness::until_left || rule_ == fullness::until_found ? positions_ : 0;
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

struct spin_locked_case {
  static constexpr const char* name = "spin_locked";
  template <class T>
  using deque = heist::deque::spin_locked<T>;
  static constexpr deque_rules rules{};
};

struct bounded_ring_case {
  static constexpr const char* name = "bounded_ring";
  template <class T>
  using deque = heist::deque::bounded_ring<T>;
  static constexpr deque_rules rules{fullness::by_items, loss::oldest, false};
};

// A thief that read the age and was stopped during the owner's return to position 0 answers lost,
// although nobody took the item.
struct abp_case {
  static constexpr const char* name = "abp";
  template <class T>
  using deque = heist::deque::abp<T>;
  static constexpr deque_rules rules{fullness::until_left, loss::reset, false};
};

struct chase_lev_case {
  static constexpr const char* name = "chase_lev";
  template <class T>
  using deque = heist::deque::chase_lev<T>;
  static constexpr deque_rules rules{fullness::never, loss::oldest, false};
};

// This deque is weaker than the others: a steal may find nothing while the owner has private items,
// and it may lose to any operation that moves the border between private and public.
struct split_case {
  static constexpr const char* name = "split";
  template <class T>
  using deque = heist::deque::split<T>;
  static constexpr deque_rules rules{fullness::until_found, loss::any_call, true};
};

// The owner's pop stops every thief that could reach the newest item, although it does not take the
// items that they want.
struct multi_steal_case {
  static constexpr const char* name = "multi_steal";
  template <class T>
  using deque = heist::deque::multi_steal<T>;
  static constexpr deque_rules rules{fullness::never, loss::any_taken, false};
};

struct steal_half_case {
  static constexpr const char* name = "steal_half";
  template <class T>
  using deque = heist::deque::steal_half<T>;
  static constexpr deque_rules rules{fullness::never, loss::any_taken, false};
};

using all_deques = testing::Types<locked_case, spin_locked_case, bounded_ring_case, abp_case,
                                  chase_lev_case, multi_steal_case, steal_half_case, split_case>;

struct case_names {
  template <class Case>
  static std::string GetName(int) {
    return Case::name;
  }
};

// Whether a deque can be made with this capacity: some require a power of two.
template <class Deque>
bool has_capacity(std::size_t capacity) {
  try {
    const Deque made(capacity);
    return true;
  } catch (const heist::usage_error&) {
    return false;
  }
}

// Makes all items public, if the owner has a private part.
template <class Owner>
void expose(Owner& owner) {
  if constexpr (requires { owner.expose_all(); }) owner.expose_all();
}

}  // namespace heist_test
