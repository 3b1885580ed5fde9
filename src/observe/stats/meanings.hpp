// What the numbers about a pool mean: the one table of texts behind HEIST_STATS=1 and `heist
// explain`. The documents' tables are held against it.
#pragma once

#include <cstdint>
#include <span>

#include "heist/stats.hpp"

namespace heist::inline v0 {

enum class meaning_kind : std::uint8_t { counter, number, distribution, idle, finding };

struct meaning {
  const char* name;   // of the field, the reason or the finding
  const char* title;  // of its column or line in the text of a pool's statistics
  meaning_kind kind;
  const char* what;    // a phrase
  const char* high;    // a sentence: when it is high, or when it is said
  const char* remedy;  // a sentence: what to do then
  std::uint64_t counters::*counter = nullptr;
  std::uint64_t pool_stats::*number = nullptr;
};

// In the order of the columns.
[[nodiscard]] std::span<const meaning> all_meanings() noexcept;

[[nodiscard]] const char* to_string(meaning_kind k) noexcept;

}  // namespace heist::inline v0
