// HEIST_CHECK=starve:TIME: reports what has waited at a pool's entry for longer than that while
// nothing of its level (turns.hpp) was begun or resumed.
#pragma once

#include <array>
#include <chrono>
#include <string>
#include <unordered_map>

#include "runtime/injection.hpp"

namespace heist::inline v0::detail {

class starvation_watch {
 public:
  explicit starvation_watch(std::chrono::nanoseconds longest) noexcept : longest_(longest) {}

  // To be called several times in that time, by one thread. What it found, or nothing. Throws
  // std::bad_alloc.
  [[nodiscard]] std::string look();

 private:
  using time = std::chrono::steady_clock::time_point;
  // Of a level in a pool.
  struct record {
    time since{};  // when it was served last, or had nothing; time{}: never looked at
    std::array<std::uint64_t, entry_census::levels> taken{};  // by then
    bool is_told = false;
  };
  using records = std::array<record, entry_census::levels>;

  [[nodiscard]] std::string look_at(pool_impl& p, records& known, time now) const;

  const std::chrono::nanoseconds longest_;
  std::unordered_map<const pool_impl*, records> pools_;
};

}  // namespace heist::inline v0::detail
