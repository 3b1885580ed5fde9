// The machinery of <heist/worker_local.hpp>: how a value is made, and the iterator over the values.
#pragma once

#include <atomic>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>

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
#if HEIST_RACE  // a value for each branch: two that are parallel may have two workers
  if (pool_.worker_index() < 0) detail::throw_not_a_worker(pool_);
  if (void* const there = heist_v0_race_view(this))
    return static_cast<detail::own_value<T>*>(there)->value;
  auto* const added = new detail::own_value<T>(make_);
  heist_v0_race_add_view(this, added);
  keep(added);
  return added->value;
#endif
  for (detail::own_value<T>* made = nullptr;;) {
    const int i = pool_.worker_index();
    if (i < 0) [[unlikely]]
      detail::throw_not_a_worker(pool_);
    cell& mine = cells_[static_cast<std::size_t>(i)];
    // Acquire: partner is the store below, by a fiber that ran on this worker before.
    if (detail::own_value<T>* const there = mine.load(std::memory_order_acquire)) {
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

#if HEIST_RACE
// Behind the last value.
template <class T>
inline void worker_local<T>::keep(detail::own_value<T>* added) {
  const detail::race::unseen own;
  if (kept_ == size_) {
    auto more = std::make_unique<cell[]>(2 * size_ + 1);
    for (std::size_t i = 0; i < size_; ++i) more[i] = cells_[i].load(std::memory_order_relaxed);
    cells_ = std::move(more);
    size_ = 2 * size_ + 1;
  }
  cells_[kept_++].store(added, std::memory_order_relaxed);
}
#endif

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
