// The machinery of <heist/reducer.hpp>: a view and its value, and how two of them are merged.
#pragma once

#include <utility>

#include "heist/detail/race.hpp"
#include "heist/detail/reducer_base.hpp"
#include "heist/reducer.hpp"

namespace heist::inline v0 {

template <class T, reducer_operation<T> Op>
struct reducer<T, Op>::node : detail::view_node {
  explicit node(const T& identity) : value(identity) {}
  T value;
};

#if HEIST_RACE
// Each branch has views of its own, which get() merges: a view that isn't joined yet is then read
// beside the one that has written it, and that is found as any other race is (Lee, Schardl,
// "Efficiently detecting races in Cilk programs that use reducer hyperobjects", 2015).
template <class T, reducer_operation<T> Op>
inline reducer<T, Op>::~reducer() {
  while (void* const view = heist_v0_race_take_view(this)) delete static_cast<node*>(view);
}

template <class T, reducer_operation<T> Op>
inline T& reducer<T, Op>::view() {
  if (void* const there = heist_v0_race_view(this)) return static_cast<node*>(there)->value;
  node* const made = new node(identity_);
  heist_v0_race_add_view(this, made);
  return made->value;
}

template <class T, reducer_operation<T> Op>
inline const T& reducer<T, Op>::get() {
  while (void* const view = heist_v0_race_take_view(this)) merge(nullptr, static_cast<node*>(view));
  return value_;
}
#else
template <class T, reducer_operation<T> Op>
inline reducer<T, Op>::~reducer() {
  delete static_cast<node*>(remove());
}

template <class T, reducer_operation<T> Op>
inline T& reducer<T, Op>::view() {
  if (detail::view_node* const there = find()) return static_cast<node*>(there)->value;
  if (!on_a_fiber()) return value_;
  node* const made = new node(identity_);
  made->reducer = this;
  adopt(*made);
  return made->value;
}

template <class T, reducer_operation<T> Op>
inline const T& reducer<T, Op>::get() {
  if (detail::view_node* const mine = remove()) merge(nullptr, mine);
  return value_;
}
#endif

template <class T, reducer_operation<T> Op>
inline T reducer<T, Op>::take() {
  get();
  return std::exchange(value_, identity_);
}

template <class T, reducer_operation<T> Op>
inline void reducer<T, Op>::merge(detail::view_node* left, detail::view_node* right) noexcept {
  node* const r = static_cast<node*>(right);
  T& l = left == nullptr ? value_ : static_cast<node*>(left)->value;
  l = op_(std::move(l), std::move(r->value));
  delete r;
}

}  // namespace heist::inline v0
