// The machinery of <heist/combinable.hpp>: lists of values.
//
// The values are in lists, chosen by the number of their thread. A thread adds only its own value,
// at the front of a list, and no value is removed while others search. So the search needs no lock.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "heist/combinable.hpp"
#include "heist/detail/functional.hpp"
#include "heist/detail/own_value.hpp"
#include "heist/detail/race.hpp"

namespace heist::inline v0 {

template <class T>
struct combinable<T>::node {
  explicit node(std::function<T()>& make) : own(make) {}

  detail::own_value<T> own;
  std::uint64_t thread = 0;  // constant once it is in a list, as is next
  node* next = nullptr;
};

template <class T>
inline T& combinable<T>::local() {
#if HEIST_RACE  // a value for each branch: two that are parallel may have two threads
  if (void* const there = heist_v0_race_view(this)) return static_cast<node*>(there)->own.value;
  node* const added = new node(make_);
  added->next = lists_[0].load(std::memory_order_relaxed);
  lists_[0].store(added, std::memory_order_relaxed);
  heist_v0_race_add_view(this, added);
  return added->own.value;
#endif
  for (node* made = nullptr;;) {
    const std::uint64_t me = detail::thread_number();
    list& mine = lists_[me % lists_.size()];
    if (node* const there = find(mine, me)) {
      delete made;  // the factory waited, and meanwhile another function made it
      return there->own.value;
    }
    if (made != nullptr) {
      made->thread = me;
      made->next = mine.load(std::memory_order_relaxed);
      // Release: the node; partner in find(). Other threads only add in front of it.
      while (!mine.compare_exchange_weak(made->next, made, std::memory_order_release,
                                         std::memory_order_relaxed)) {
      }
      return made->own.value;
    }
    made = new node(make_);
  }
}

template <class T>
inline typename combinable<T>::node* combinable<T>::find(const list& values,
                                                         std::uint64_t thread) noexcept {
  // Acquire: partner is the release in local(). It makes the nodes of other threads visible,
  // which this skips.
  node* n = values.load(std::memory_order_acquire);
  while (n != nullptr && n->thread != thread) n = n->next;
  return n;
}

template <class T>
template <std::invocable<T&> F>
inline void combinable<T>::combine_each(F&& f) {
  each([&f](node& n) { f(n.own.value); });
}

template <class T>
template <class Op>
requires std::is_invocable_r_v<T, Op&, const T&, const T&>
inline T combinable<T>::combine(Op op) {
  const T* first = nullptr;
  each([&first](node& n) { first = &n.own.value; });
  if (first == nullptr) return make_();
  T total = *first;
  combine_each([&](const T& value) {
    if (&value != first) total = op(static_cast<const T&>(total), value);
  });
  return total;
}

template <class T>
inline std::size_t combinable<T>::size() {
  std::size_t n = 0;
  each([&n](node&) { ++n; });
  return n;
}

template <class T>
inline void combinable<T>::clear() noexcept {
#if HEIST_RACE
  while (heist_v0_race_take_view(this) != nullptr) {
  }
#endif
  each([](node& n) { delete &n; });
  for (list& l : lists_) l.store(nullptr, std::memory_order_relaxed);  // no other thread is here
}

// Acquire: as in find().
template <class T>
template <class F>
inline void combinable<T>::each(F&& f) {
  for (const list& l : lists_)
    for (node* n = l.load(std::memory_order_acquire); n != nullptr;) {
      node* const next = n->next;
      f(*n);
      n = next;
    }
}

}  // namespace heist::inline v0
