// Random numbers whose sequence is part of the lab's promise: the same seed gives the same bytes,
// with any compiler and library. The standard library's distributions are not used, as their
// results are not specified.
//
// xoshiro256** (Blackman, Vigna: Scrambled linear pseudorandom number generators, 2018), its state
// filled by splitmix64 (Steele, Lea, Flood 2014); integers below a bound by Lemire's multiplication
// with rejection (Fast random integer generation in an interval, 2018), so each has the same
// probability.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace heist::lab {

// It mixes well, too: neighbouring values of `state` give unrelated results.
constexpr std::uint64_t splitmix64(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

class rng {
 public:
  // Streams of one seed are independent of each other: there may be one for each run of a sweep, or
  // for each processor.
  explicit constexpr rng(std::uint64_t seed, std::uint64_t stream = 0) {
    std::uint64_t state = seed;
    state = splitmix64(state) ^ stream;
    for (auto& word : state_) word = splitmix64(state);
  }

  constexpr std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // An integer from 0 to bound - 1; bound > 0.
  constexpr std::uint64_t below(std::uint64_t bound) {
    wide product = wide{next()} * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
      const std::uint64_t threshold = -bound % bound;
      while (static_cast<std::uint64_t>(product) < threshold) product = wide{next()} * bound;
    }
    return static_cast<std::uint64_t>(product >> 64U);
  }

  // An integer from `least` to `greatest`, both included.
  constexpr std::uint64_t between(std::uint64_t least, std::uint64_t greatest) {
    const std::uint64_t distance = greatest - least;
    return distance == UINT64_MAX ? next() : least + below(distance + 1);
  }

  // In [0, 1), a multiple of 2^-53.
  constexpr double unit() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

  // True `numerator` times out of `denominator`.
  constexpr bool chance(std::uint64_t numerator, std::uint64_t denominator) {
    return below(denominator) < numerator;
  }

  template <class Range>
  constexpr void shuffle(Range& values) {
    for (std::size_t i = values.size(); i > 1; --i) {
      using std::swap;
      swap(values[i - 1], values[below(i)]);
    }
  }

 private:
  __extension__ using wide = unsigned __int128;

  std::array<std::uint64_t, 4> state_{};
};

}  // namespace heist::lab
