// Memory for values that need neither a constructor nor a destructor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <type_traits>

#include "heist/detail/requirements.hpp"

namespace heist::inline v0::detail {

// Space for n values. If there is no memory, data() is nullptr, and no exception is thrown.
template <class T>
class scratch {
  static_assert(std::is_trivially_copy_constructible_v<T> && std::is_trivially_destructible_v<T>);

 public:
  explicit scratch(std::size_t n) noexcept : data_(allocate(n)) {}
  ~scratch() {
    if constexpr (is_overaligned)
      ::operator delete(data_, std::align_val_t{alignof(T)}, std::nothrow);
    else
      ::operator delete(data_, std::nothrow);
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;

  [[nodiscard]] T* data() const noexcept { return data_; }
  [[nodiscard]] T& operator[](std::size_t i) const noexcept { return data_[i]; }

 private:
  static constexpr bool is_overaligned = alignof(T) > __STDCPP_DEFAULT_NEW_ALIGNMENT__;

  static T* allocate(std::size_t n) noexcept {
    if (n > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T)) return nullptr;
    if constexpr (is_overaligned)
      return static_cast<T*>(
          ::operator new(n * sizeof(T), std::align_val_t{alignof(T)}, std::nothrow));
    else
      return static_cast<T*>(::operator new(n * sizeof(T), std::nothrow));
  }

  T* const data_;
};

}  // namespace heist::inline v0::detail
