// Samplesort in three loops. Values picked at random divide the input into buckets of about the
// same size; the first loop finds the bucket of every value and counts, the second moves the values
// to their buckets, and the third sorts each bucket. Between the loops are short serial sums.
//
// The bucket of a value is found without a branch to be predicted, and values equal to a splitter
// have a bucket of their own, which is sorted already. So many equal values do no harm.
//
// W. D. Frazer, A. C. McKellar: Samplesort (JACM 17, 1970); P. Sanders, S. Winkel: Super Scalar
// Sample Sort (ESA 2004).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "workloads/forkers.hpp"
#include "workloads/hashing.hpp"

namespace heist::workloads {

// Integers that delimit buckets: those of bucket 2 i are between two splitters, and those of bucket
// 2 i + 1 are equal to splitter i.
class splitters {
 public:
  static constexpr std::size_t most = 1 << 14;  // a bucket's number has 16 bits

  // `ranges` is rounded up to a power of two. The sample is deterministic.
  splitters(std::span<const std::int64_t> values, std::size_t ranges) {
    constexpr std::size_t samples_for_each = 16;
    ranges = std::bit_ceil(std::clamp<std::size_t>(ranges, 2, most));
    std::vector<std::int64_t> sample(ranges * samples_for_each);
    for (std::size_t i = 0; i < sample.size(); ++i)
      sample[i] = values[random_at(values.size(), i) % values.size()];
    std::sort(sample.begin(), sample.end());
    for (std::size_t i = 1; i < ranges; ++i) sorted_.push_back(sample[i * samples_for_each]);
    sorted_.push_back(sorted_.back());  // a search never passes it, but reads it
  }

  [[nodiscard]] std::size_t buckets() const { return 2 * sorted_.size(); }

  // The values before the first splitter that is not less than `value` are less.
  [[nodiscard]] std::size_t bucket_of(std::int64_t value) const {
    const std::int64_t* at = sorted_.data();
    for (auto step = sorted_.size() / 2; step != 0; step /= 2)
      at += at[step - 1] < value ? step : 0;
    const auto before = static_cast<std::size_t>(at - sorted_.data());
    return 2 * before + (*at == value ? 1 : 0);
  }

 private:
  std::vector<std::int64_t> sorted_;  // a power of two of them
};

// The loops go through blocks of so many values: several for each counter of a block.
inline constexpr std::size_t samplesort_block = 1 << 15;

// Finds the buckets of a block's values and counts the values of each.
inline void count_block(const splitters& between, std::span<const std::int64_t> values,
                        std::span<std::uint16_t> numbers, std::span<std::size_t> counts) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto bucket = between.bucket_of(values[i]);
    numbers[i] = static_cast<std::uint16_t>(bucket);
    ++counts[bucket];
  }
}

// Moves a block's values to where their buckets' next ones belong.
inline void move_block(std::span<const std::int64_t> values, std::span<const std::uint16_t> numbers,
                       std::span<std::size_t> next, std::span<std::int64_t> sorted) {
  for (std::size_t i = 0; i < values.size(); ++i) sorted[next[numbers[i]]++] = values[i];
}

// Sorts `values` into `sorted`, which has their size, as have `numbers`, where the buckets of the
// values are kept.
template <class Fork>
void samplesort(std::span<const std::int64_t> values, std::span<std::int64_t> sorted,
                std::span<std::uint16_t> numbers, std::size_t ranges, Fork fork) {
  if (values.empty()) return;
  const auto blocks = (values.size() + samplesort_block - 1) / samplesort_block;
  const auto of_block = [](auto all, std::size_t block) {
    const auto first = block * samplesort_block;
    return all.subspan(first, std::min(samplesort_block, all.size() - first));
  };
  const splitters between(values, ranges);
  const auto buckets = between.buckets();
  std::vector<std::size_t> places(blocks * buckets);  // of each block, each bucket: a count
  const auto places_of = [&](std::size_t block) {
    return std::span(places).subspan(block * buckets, buckets);
  };

  fork.loop(blocks, 1, [&](std::size_t block) {
    count_block(between, of_block(values, block), of_block(numbers, block), places_of(block));
  });

  std::vector<std::size_t> begins(buckets + 1);
  std::size_t sum = 0;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    begins[bucket] = sum;
    for (std::size_t block = 0; block < blocks; ++block)
      sum += std::exchange(places[block * buckets + bucket], sum);
  }
  begins[buckets] = sum;

  fork.loop(blocks, 1, [&](std::size_t block) {
    move_block(of_block(values, block), of_block(numbers, block), places_of(block), sorted);
  });

  fork.loop(buckets / 2, 1, [&](std::size_t range) {
    const auto first = begins[2 * range];
    const auto bucket = sorted.subspan(first, begins[2 * range + 1] - first);
    std::sort(bucket.begin(), bucket.end());
  });
}

}  // namespace heist::workloads
