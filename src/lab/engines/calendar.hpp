// Tells in which step each working processor's instruction ends: a ring of buckets for the steps
// close by, and a heap for later ones. Most instructions take one step, so adding and taking cost a
// few nanoseconds for any number of processors.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace heist::lab {

class calendar {
 public:
  static constexpr std::uint64_t never = UINT64_MAX;

  // `step` must be later than the last one taken.
  void add(std::uint64_t step, std::uint32_t processor) {
    if (step - now_ < near) {
      const auto slot = step % near;
      buckets_[slot].push_back(processor);
      occupied_[slot / 64] |= std::uint64_t{1} << slot % 64;
    } else {
      far_.emplace(step, processor);
    }
  }

  [[nodiscard]] std::uint64_t next() const {
    const auto first = next_bucket();
    return far_.empty() ? first : std::min(first, far_.top().first);
  }

  // The processors whose instruction ends in step next(), in order; valid until the next call.
  const std::vector<std::uint32_t>& take() {
    now_ = next();
    const auto slot = now_ % near;
    taken_.clear();
    taken_.swap(buckets_[slot]);
    occupied_[slot / 64] &= ~(std::uint64_t{1} << slot % 64);
    for (; !far_.empty() && far_.top().first == now_; far_.pop())
      taken_.push_back(far_.top().second);
    sort_taken();
    return taken_;
  }

 private:
  // Most processors were added in order, in the step before; thieves with their loot came after
  // them.
  void sort_taken() {
    const auto rest = std::is_sorted_until(taken_.begin(), taken_.end());
    if (rest == taken_.end()) return;
    std::sort(rest, taken_.end());
    merged_.resize(taken_.size());
    std::merge(taken_.begin(), rest, rest, taken_.end(), merged_.begin());
    taken_.swap(merged_);
  }

  static constexpr std::uint64_t near = 256;  // steps; a multiple of 64

  [[nodiscard]] std::uint64_t next_bucket() const {
    const auto begin = (now_ + 1) % near;
    for (std::uint64_t i = 0; i <= near / 64; ++i) {
      const auto word = (begin / 64 + i) % (near / 64);
      auto bits = occupied_[word];
      if (i == 0) bits &= ~std::uint64_t{0} << begin % 64;
      if (i == near / 64) bits &= ~(~std::uint64_t{0} << begin % 64);
      if (bits == 0) continue;
      const auto slot = word * 64 + static_cast<std::uint64_t>(std::countr_zero(bits));
      return now_ + 1 + (slot + near - begin) % near;
    }
    return never;
  }

  using entry = std::pair<std::uint64_t, std::uint32_t>;

  std::uint64_t now_ = 0;
  std::array<std::vector<std::uint32_t>, near> buckets_;
  std::array<std::uint64_t, near / 64> occupied_{};
  std::priority_queue<entry, std::vector<entry>, std::greater<>> far_;
  std::vector<std::uint32_t> taken_, merged_;
};

}  // namespace heist::lab
