// What a loop throws for a range whose end lies before its beginning.
#pragma once

#include <concepts>
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

}  // namespace heist::inline v0::detail
