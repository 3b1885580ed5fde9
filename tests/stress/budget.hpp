// How long a random test runs, and its seed.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace heist_test {

// HEIST_STRESS_SECONDS in the environment makes it longer.
inline std::chrono::steady_clock::duration time_budget(std::chrono::milliseconds usual) {
  if (const char* const seconds = std::getenv("HEIST_STRESS_SECONDS"))
    return std::chrono::seconds(std::atoi(seconds));
  return usual;
}

// A random seed, or HEIST_STRESS_SEED to repeat a run.
inline std::uint64_t fresh_seed() {
  if (const char* const seed = std::getenv("HEIST_STRESS_SEED"))
    return std::strtoull(seed, nullptr, 10);
  return std::random_device{}();
}

inline std::uint64_t announced_seed() {
  const std::uint64_t seed = fresh_seed();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  return seed;
}

}  // namespace heist_test
