// The machinery of <heist/worker_local.hpp>: how a value is made, and the iterator over the values.
#pragma once

#include <atomic>
#include <cstddef>
#include <iterator>
#include <memory>

#include "heist/detail/export.hpp"
#include "heist/detail/own_value.hpp"
#include "heist/detail/race.hpp"
#include "heist/worker_local.hpp"

namespace heist::inline v0 {

namespace detail {

[[noreturn, gnu::cold]] HEIST_API void throw_not_a_worker(const pool& p);

}  // namespace detail

template <class T>
inline T& worker_local<T>::local() {
  for (detail::own_value<T>* made = nullptr;;) {
    const int i = pool_.worker_index();
    if (i < 0) [[unlikely]]
      detail::throw_not_a_worker(pool_);
    cell& mine = cells_[static_cast<std::size_t>(i)];
    // Acquire: partner is the store below, by a fiber that ran on this worker before.
    if (detail::own_value<T>* const there = mine.load(std::memory_order_acquire)) {
#if HEIST_RACE  // two branches that are parallel have two values, or one after the other
      heist_v0_race_fresh(&there->value, sizeof(T));
#endif
      delete made;  // the factory waited, and meanwhile another function made it
      return there->value;
    }
    if (made != nullptr) {
      mine.store(made, std::memory_order_release);  // partners: above, and the iterators
      return made->value;
    }
    made = new detail::own_value<T>(make_);
  }
}

// Goes from value to value, and skips the workers that have none.
template <class T>
template <class Value>
class worker_local<T>::basic_iterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using iterator_concept = std::forward_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = Value*;
  using reference = Value&;

  basic_iterator() noexcept = default;
  basic_iterator(const cell* first, const cell* end) noexcept : at_(first), end_(end) { skip(); }
  reference operator*() const noexcept { return node()->value; }
  pointer operator->() const noexcept { return std::addressof(node()->value); }
  basic_iterator& operator++() noexcept {
    ++at_;
    skip();
    return *this;
  }
  basic_iterator operator++(int) noexcept {
    const basic_iterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const basic_iterator& a, const basic_iterator& b) noexcept {
    return a.at_ == b.at_;
  }

 private:
  // Acquire: partner is the release in local().
  [[nodiscard]] detail::own_value<T>* node() const noexcept {
    return at_->load(std::memory_order_acquire);
  }
  void skip() noexcept {
    while (at_ != end_ && node() == nullptr) ++at_;
  }

  const cell* at_ = nullptr;
  const cell* end_ = nullptr;
};

}  // namespace heist::inline v0
