// What a loop throws for a range whose end lies before its beginning, or that is too long to be
// counted.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "heist/detail/export.hpp"

namespace heist::inline v0::detail {

// An integer of any type, for a message.
struct endpoint {
  std::uint64_t bits;
  bool is_signed;
};

template <std::integral I>
constexpr endpoint endpoint_of(I i) noexcept {
  return {static_cast<std::uint64_t>(i), std::signed_integral<I>};
}

// Throws usage_error that names both.
[[noreturn, gnu::cold]] HEIST_API void throw_bad_range(const char* who, endpoint first,
                                                       endpoint last);

// Throws usage_error that names the loop: a step of 0.
[[noreturn, gnu::cold]] HEIST_API void throw_no_step(const char* who);

// Loops count in 64 bits, and so do their indices; indices of 128 bits are refused at compile time.
template <class T>
inline constexpr bool fits_a_count = sizeof(T) <= sizeof(std::size_t);

[[noreturn, gnu::cold]] HEIST_API void throw_too_many();

// The size of a range. Its type has more than 64 bits where the type of its differences has
// (std::views::iota over long). Throws usage_error if the size doesn't fit.
template <class N>
constexpr std::size_t as_count(N n) {
  const auto count = static_cast<std::size_t>(n);
  if constexpr (!fits_a_count<N>) {
    if (static_cast<N>(count) != n) throw_too_many();
  }
  return count;
}

}  // namespace heist::inline v0::detail
