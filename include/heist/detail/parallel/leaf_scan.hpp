// The pass of a scan over leaves, which other workers may join.
//
// One worker alone puts out and sums leaf by leaf, in one pass. Other workers that ask for work get
// leaves to sum; these leaves need a second pass when their offsets are known. All this is done in
// blocks of leaves, so that what is read again is still in the caches.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "heist/detail/parallel/pace.hpp"
#include "heist/detail/parallel/split_loop.hpp"
#include "heist/fork_join.hpp"

namespace heist::inline v0::detail {

// An offset is what the leaves to the left add up to; nothing, if there is none. Operations has
//   sum(k): the sum of the k-th leaf;
//   put_out(k, offset): the output of a leaf that was summed;
//   put_out_and_sum(k, offset): both, returns the offset of the next leaf;
//   joined(offset, sum): the offset of the next leaf.
template <class T, class Operations>
class leaf_scan {
 public:
  // To be made on a worker of a pool with `workers` workers.
  leaf_scan(const Operations& operations, unsigned workers) noexcept
      : operations_(operations), workers_(workers) {}
  leaf_scan(const leaf_scan&) = delete;
  leaf_scan& operator=(const leaf_scan&) = delete;

  // Returns the offset behind the last leaf.
  std::optional<T> run(std::size_t leaves, std::optional<T> offset) {
    if (workers_ > 1) sums_.reset(new std::optional<T>[leaves < block ? leaves : block]);
    for (std::size_t first = 0; first < leaves; first += block)
      offset = pass(first, leaves - first < block ? leaves : first + block, std::move(offset));
    return offset;
  }

 private:
  static constexpr std::size_t block = 1024;  // leaves

  // Puts out leaves whose offset is known, one after the other; returns the offset of the leaf
  // after them. When a thief asks for work, it gets the later half of the remaining leaves to sum.
  std::optional<T> pass(std::size_t first, std::size_t last, std::optional<T> offset) {
    if constexpr (HEIST_RACE) return summed_pass(first, last, std::move(offset));
    const std::uint64_t start = workers_ > 1 ? ticks() : 0;
    for (std::size_t k = first; k != last; ++k) {
      if (workers_ > 1 && k != first && last - k > 1 && asked_to_split() &&
          (last - k) / (k - first) >= ticks_per_chunk() / (ticks() - start + 1))
        return shared_pass(k, last, std::move(offset));
      std::optional<T> next(operations_.put_out_and_sum(k, offset));
      offset = std::move(next);
    }
    return offset;
  }

  std::optional<T> shared_pass(std::size_t first, std::size_t last, std::optional<T> offset) {
    const std::size_t middle = first + (last - first) / 2;
    std::atomic<bool> left_is_done{false};
    bool summed = false;
    fork_join(
        [&] {
          offset = pass(first, middle, std::move(offset));
          left_is_done.store(true, std::memory_order_release);  // publishes offset
        },
        [&] {
          if (left_is_done.load(std::memory_order_acquire)) {  // it was not stolen
            offset = pass(middle, last, std::move(offset));
          } else {
            over_leaves(middle, last,
                        [&](std::size_t k) { sum_of(k).emplace(operations_.sum(k)); });
            summed = true;
          }
        });
    return summed ? with_sums(middle, last, std::move(offset)) : offset;
  }

  // As a thief would run it, which is as parallel as it gets.
  std::optional<T> summed_pass(std::size_t first, std::size_t last, std::optional<T> offset) {
    over_leaves(first, last, [&](std::size_t k) { sum_of(k).emplace(operations_.sum(k)); });
    return with_sums(first, last, std::move(offset));
  }

  std::optional<T> with_sums(std::size_t first, std::size_t last, std::optional<T> offset) {
    for (std::size_t k = first; k != last; ++k) {  // the sums become offsets
      std::optional<T> next(operations_.joined(offset, std::move(*sum_of(k))));
      sum_of(k) = std::move(offset);
      offset = std::move(next);
    }
    over_leaves(first, last, [&](std::size_t k) { operations_.put_out(k, std::move(sum_of(k))); });
    return offset;
  }

  template <class Each>
  void over_leaves(std::size_t first, std::size_t last, const Each& each) {
    split_on_demand(
        last - first,
        [&](std::size_t f, std::size_t l) {
          for (std::size_t k = f; k != l; ++k) each(first + k);
        },
        workers_);
  }

  [[nodiscard]] std::optional<T>& sum_of(std::size_t leaf) const { return sums_[leaf % block]; }

  const Operations& operations_;
  const unsigned workers_;
  std::unique_ptr<std::optional<T>[]> sums_;  // of the leaves of the block that is being worked on
};

}  // namespace heist::inline v0::detail
