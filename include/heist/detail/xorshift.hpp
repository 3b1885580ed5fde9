// Random numbers for choices that only have to differ: victims, samples.
#pragma once

#include <cstdint>

#include "heist/detail/requirements.hpp"

namespace heist::inline v0::detail {

// The next state of xorshift64 (Marsaglia 2003); never 0 after one that isn't.
[[nodiscard]] constexpr std::uint64_t xorshift(std::uint64_t x) noexcept {
  x ^= x << 13;
  x ^= x >> 7;
  return x ^ x << 17;
}

}  // namespace heist::inline v0::detail
