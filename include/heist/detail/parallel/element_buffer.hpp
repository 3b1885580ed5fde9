// Memory for as many elements again, for algorithms that can't work in place.
#pragma once

#include <cstddef>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "heist/detail/algorithm.hpp"
#include "heist/detail/huge_pages.hpp"
#include "heist/detail/parallel/split_loop.hpp"

namespace heist::inline v0::detail {

template <class It>
inline constexpr bool moves_from_without_exception =
    noexcept(std::ranges::iter_move(std::declval<const It&>() + std::iter_difference_t<It>{}));

// Memory for n elements; those that were made are destroyed at the end. Throws std::bad_alloc.
template <class T>
class element_buffer {
 public:
  explicit element_buffer(std::size_t n) : memory_(allocate(n)), n_(n) {}
  ~element_buffer() {
    std::destroy_n(memory_, made_);
    if (is_large(n_))
      ::operator delete(memory_, std::align_val_t{huge_page});
    else
      std::allocator<T>().deallocate(memory_, n_);
  }
  element_buffer(const element_buffer&) = delete;
  element_buffer& operator=(const element_buffer&) = delete;

  [[nodiscard]] T* data() const noexcept { return memory_; }

  // To be called when the user has made all elements.
  void made_all() noexcept { made_ = n_; }

  // Makes all elements by moving those at `first`. If a move or an access through the iterator can
  // throw, and the elements made so far must then be destroyed, one worker does it, so that their
  // number is known.
  template <class It>
  void move_in(It first) {
    if constexpr (std::is_nothrow_constructible_v<T, std::iter_rvalue_reference_t<It>> &&
                  (std::is_trivially_destructible_v<T> || moves_from_without_exception<It>)) {
      split_on_demand(n_, [&](std::size_t f, std::size_t l) {
        if constexpr (std::is_pointer_v<It>)
          std::uninitialized_move(first + f, first + l, memory_ + f);
        else
          for (std::size_t i = f; i != l; ++i) make(first, i);
      });
      made_ = n_;
    } else {
      for (; made_ < n_; ++made_) make(first, made_);
    }
  }

 private:
  // From here on page faults take more time than the allocation.
  static constexpr std::size_t many_bytes = 2 * huge_page;

  static bool is_large(std::size_t n) noexcept {
    return alignof(T) <= huge_page && n >= many_bytes / sizeof(T) &&
           n <= static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / sizeof(T);
  }
  static T* allocate(std::size_t n) {
    if (!is_large(n)) return std::allocator<T>().allocate(n);
    void* const memory = ::operator new(n * sizeof(T), std::align_val_t{huge_page});
    prefer_huge_pages(memory, n * sizeof(T));
    return static_cast<T*>(memory);
  }

  template <class It>
  void make(It first, std::size_t i) {
    std::construct_at(memory_ + i, std::ranges::iter_move(iterator_at(first, i)));
  }

  T* const memory_;
  const std::size_t n_;
  std::size_t made_ = 0;
};

}  // namespace heist::inline v0::detail
