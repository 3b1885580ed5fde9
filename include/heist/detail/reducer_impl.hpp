// The machinery of <heist/reducer.hpp>: a view and its value, and how two of them are merged.
#pragma once

#include <utility>

#include "heist/detail/reducer_base.hpp"
#include "heist/reducer.hpp"

namespace heist::inline v0 {

template <class T, reducer_operation<T> Op>
struct reducer<T, Op>::node : detail::view_node {
  explicit node(const T& identity) : value(identity) {}
  T value;
};

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
