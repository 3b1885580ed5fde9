// A histogram whose buckets are powers of two: what a pool's statistics say about times and depths.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "heist/detail/refusal.hpp"

namespace heist::inline v0 {

// How many values lay in each of the buckets 0 to 1, 2, 3 to 4, 5 to 8, 9 to 16, and so on; the
// last bucket has no upper end. A plain value: not thread-safe, allocates nothing. Counts and sum
// wrap at 2^64.
struct log2_histogram {
  // In nanoseconds the last bucket with an end reaches to 2^40 ns, 18 minutes.
  static constexpr std::size_t buckets = 42;

  std::array<std::uint64_t, buckets> counts{};  // by bucket
  std::uint64_t sum = 0;                        // of all values

  // The bucket of a value, and the greatest value that a bucket takes (of the last one: none).
  [[nodiscard]] static constexpr std::size_t bucket_of(std::uint64_t value) noexcept {
    std::size_t b = 0;
    while (b + 1 < buckets && value > greatest_of(b)) ++b;
    return b;
  }
  [[nodiscard]] static constexpr std::uint64_t greatest_of(std::size_t bucket) noexcept {
    return std::uint64_t{1} << bucket;
  }

  // Counts one value.
  constexpr void add(std::uint64_t value) noexcept {
    ++counts[bucket_of(value)];
    sum += value;
  }
  // Adds what the other one has counted.
  constexpr log2_histogram& operator+=(const log2_histogram& other) noexcept {
    for (std::size_t b = 0; b < buckets; ++b) counts[b] += other.counts[b];
    sum += other.sum;
    return *this;
  }

  // How many values were counted.
  [[nodiscard]] constexpr std::uint64_t count() const noexcept {
    std::uint64_t n = 0;
    for (const std::uint64_t c : counts) n += c;
    return n;
  }
  // 0 of no values.
  [[nodiscard]] constexpr double mean() const noexcept {
    const std::uint64_t n = count();
    return n == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(n);
  }
  // A bound that at least `share` of the values don't exceed (0 < share <= 1), at most twice as
  // large as the least such value: the end of its bucket. 0 of no values; of the last bucket twice
  // the end of the one before.
  [[nodiscard]] constexpr std::uint64_t quantile(double share) const noexcept {
    const double wanted = share * static_cast<double>(count());
    std::uint64_t seen = 0;
    for (std::size_t b = 0; b < buckets; ++b) {
      seen += counts[b];
      if (seen != 0 && static_cast<double>(seen) >= wanted) return greatest_of(b);
    }
    return 0;
  }

  friend bool operator==(const log2_histogram&, const log2_histogram&) = default;
};

}  // namespace heist::inline v0
