// Contestants take turns, A B C A B C. Other activity on the machine then affects all of them
// alike, and a ratio compares two times that were taken within seconds of each other.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>

#include "bench/benchmark.hpp"
#include "report/samples.hpp"

namespace heist::bench {

using clock = std::chrono::steady_clock;

[[nodiscard]] inline double seconds_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

template <class Function>
double seconds_of(Function&& function) {
  const auto start = clock::now();
  function();
  return seconds_since(start);
}

struct contestant {
  std::string name;
  std::function<double()> turn;  // one measurement
  samples results{};
};

class contest {
 public:
  // The reference remains valid.
  contestant& add(std::string name, std::function<double()> turn) {
    return contestants_.emplace_back(contestant{std::move(name), std::move(turn)});
  }

  // Every turn is followed by a pause, in which the threads of the last contestant go to sleep.
  void play(const settings& with);

 private:
  std::deque<contestant> contestants_;
};

// Most contestants are a function with a known result. Throws wrong_result.
[[nodiscard]] double time_checked(const std::string& name, std::uint64_t expected,
                                  const std::function<std::uint64_t()>& function);

// Throws wrong_result unless both are equal.
void check_result(const std::string& name, std::uint64_t expected, std::uint64_t found);

// P is the requested number of workers, or else the number that a pool has by default.
[[nodiscard]] unsigned workers_of(const settings& with);

// Makes a pool with all the workers that were requested. Throws resource_error if some are missing,
// because the figures of a smaller pool would be mistaken for those of this one.
class whole_pool : public pool {
 public:
  explicit whole_pool(const pool_config& config);
};

}  // namespace heist::bench
