// Small deterministic hash functions. They generate input that is the same on every machine, and
// compute checksums over results. They do not withstand an adversary.

#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace heist::workloads {

// SplitMix64's output function (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators,
// OOPSLA 2014): every bit of the input reaches every bit of the output.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Number `index` of the sequence of `seed`. Any element of a generated input can be computed
// without the elements before it.
[[nodiscard]] constexpr std::uint64_t random_at(std::uint64_t seed, std::uint64_t index) {
  return mixed(mixed(seed) + index * 0x9e3779b97f4a7c15);
}

// The checksum depends on the order of the values.
template <class Integer>
[[nodiscard]] constexpr std::uint64_t ordered_hash(std::span<const Integer> values) {
  std::uint64_t hash = values.size();
  for (const Integer value : values)
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9fb21c651e98df25 + (hash >> 29);
  return mixed(hash);
}

// The same for floating-point numbers: the checksum depends on every bit of them.
[[nodiscard]] constexpr std::uint64_t hash_of_bits(std::span<const double> values) {
  std::uint64_t hash = values.size();
  for (const double value : values)
    hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 0x9fb21c651e98df25 + (hash >> 29);
  return mixed(hash);
}

// The checksum is the same for every order of the same values.
template <class Integer>
[[nodiscard]] constexpr std::uint64_t multiset_hash(std::span<const Integer> values) {
  std::uint64_t sum = values.size();
  for (const Integer value : values) sum += mixed(static_cast<std::uint64_t>(value));
  return sum;
}

// A number of [0, 1) made of the upper bits of a random number.
[[nodiscard]] constexpr double unit_interval(std::uint64_t random) {
  return static_cast<double>(random >> 11) * 0x1p-53;
}

}  // namespace heist::workloads
