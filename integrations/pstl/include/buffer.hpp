// Memory for elements that an algorithm makes and destroys itself.
#pragma once

#include <cstddef>
#include <limits>
#include <new>

#include <heist/detail/huge_pages.hpp>

namespace heist::pstl {

// Throws std::bad_alloc.
template <class T>
class buffer {
 public:
  explicit buffer(std::size_t n) : memory_(allocate(n)), is_large_(is_large(n)) {}
  ~buffer() {
    if (is_large_)
      ::operator delete(memory_, std::align_val_t{detail::huge_page});
    else
      ::operator delete(memory_, std::align_val_t{alignof(T)});
  }
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;

  explicit operator bool() const noexcept { return true; }
  [[nodiscard]] T* get() const noexcept { return static_cast<T*>(memory_); }

 private:
  static bool is_large(std::size_t n) noexcept {
    return alignof(T) <= detail::huge_page && n >= 2 * detail::huge_page / sizeof(T);
  }
  static void* allocate(std::size_t n) {
    if (n > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / sizeof(T))
      throw std::bad_array_new_length();
    if (!is_large(n)) return ::operator new(n * sizeof(T), std::align_val_t{alignof(T)});
    void* const memory = ::operator new(n * sizeof(T), std::align_val_t{detail::huge_page});
    detail::prefer_huge_pages(memory, n * sizeof(T));
    return memory;
  }

  void* const memory_;
  const bool is_large_;
};

}  // namespace heist::pstl
