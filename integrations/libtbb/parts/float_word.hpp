// The floating-point modes of a thread, as the one word that a context has for them. 0 is no word
// of any thread: the x87 control word always has a bit set that the processor sets, and on other
// processors the mark below is added.
//
// The lower half tells modes apart. On x86 that is MXCSR: who changes the x87 control word changes
// both, as fesetround does.
#pragma once

#include <cstdint>

#include "platform/float_modes.hpp"

namespace heist::inline v0::libtbb::float_word {

#if defined(__x86_64__)
inline constexpr std::uint64_t mark = 0;
#else
inline constexpr std::uint64_t mark = std::uint64_t{1} << 63;
#endif

[[nodiscard]] inline std::uint64_t now() noexcept {
  return platform::float_modes::now().word() | mark;
}

inline void set(std::uint64_t word) noexcept { platform::float_modes::of_word(word & ~mark).set(); }

[[nodiscard]] inline std::uint32_t mark_of(std::uint64_t word) noexcept {
  return static_cast<std::uint32_t>(word);
}
[[nodiscard]] inline std::uint32_t current_mark() noexcept {
#if defined(__x86_64__)
  return platform::float_modes::mxcsr_now();
#else
  return mark_of(now());
#endif
}

}  // namespace heist::inline v0::libtbb::float_word
