// What the numbers about a pool mean: the one table of names, fields and texts behind the tables of
// HEIST_STATS=1, Prometheus, JSON and `heist explain`. The documents' tables are held against it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "heist/stats.hpp"

namespace heist::inline v0 {

enum class meaning_kind : std::uint8_t {
  counter,
  deque_counter,  // in the table about deques
  number,
  pool_counter,  // a number of a pool that only grows
  distribution,
  idle,
  finding
};

struct meaning {
  const char* name;   // of the field, the reason or the finding
  const char* title;  // of its column or line in the text of a pool's statistics
  meaning_kind kind;
  const char* what;    // a phrase
  const char* high;    // a sentence: when it is high, or when it is said
  const char* remedy;  // a sentence: what to do then
  std::uint64_t counters::*counter = nullptr;
  std::uint64_t pool_stats::*number = nullptr;

  // The metric of Prometheus, if it is a number, and its line of help.
  [[nodiscard]] std::string metric() const;
  [[nodiscard]] std::string help() const;
};

// In the order of the columns.
[[nodiscard]] std::span<const meaning> all_meanings() noexcept;

// Of that name, or null.
[[nodiscard]] const meaning* find_meaning(std::string_view name) noexcept;

[[nodiscard]] const char* to_string(meaning_kind k) noexcept;

}  // namespace heist::inline v0
