// Sleeping on a word, as far as systems without Linux's futex have it. park_lot.cpp is built on it.
#pragma once

#include <chrono>
#include <optional>

#include "platform/park.hpp"

namespace heist::inline v0::platform {

// Sleeps while `word` holds `expected`, at most for `timeout`; may return for no reason.
void wait_on_word(park_word& word, std::uint32_t expected,
                  std::optional<std::chrono::nanoseconds> timeout) noexcept;

// Wakes a thread that sleeps on the word at that address, whose memory may be gone.
void wake_word(park_word* word) noexcept;

}  // namespace heist::inline v0::platform
