// Moving elements to their places within one array.
//
// A permutation consists of cycles: what lies where an element belongs has to go on to its own
// place. The places along a cycle are followed first, some of them at a time, and then the elements
// are moved, of which none waits for another one.
//
// Elements whose buckets are known are brought in order of these, not stably: each goes to the
// first place of its bucket whose element belongs elsewhere. Several workers first cut the array
// where a bucket begins, and swap what is on the wrong side: the i-th such element on the left with
// the i-th on the right.
//
// Source: American flag sort (McIlroy, Bostic, McIlroy, 1993).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "heist/detail/algorithm.hpp"
#include "heist/detail/parallel/split_loop.hpp"
#include "heist/fork_join.hpp"

namespace heist::inline v0::detail {

// How many places of a cycle are followed before what lies there is moved.
inline constexpr std::size_t places_ahead = 32;

// Moves to each place i the element from from[i], and leaves at from[i] the place itself. from must
// be a permutation of the places.
template <class T>
void follow_cycles(T* first, std::size_t n, T** from) {
  T* ahead[places_ahead];
  for (std::size_t i = 0; i < n; ++i) {
    if (from[i] == first + i) continue;
    T moving(std::move(first[i]));
    T* hole = first + i;
    bool ends = false;
    while (!ends) {
      std::size_t k = 0;
      T* at = hole;
      while (k < places_ahead && !ends) {
        T* const next = std::exchange(from[at - first], at);
        ends = next == first + i;
        if (ends) break;
        __builtin_prefetch(next);
        ahead[k++] = next;
        at = next;
      }
      for (std::size_t j = 0; j < k; ++j) {
        *hole = std::move(*ahead[j]);
        hole = ahead[j];
      }
    }
    *hole = std::move(moving);
  }
}

// Brings elements into the order of their buckets.
template <class T, class Bucket>
class bucket_order {
 public:
  // The bucket of each element; where each of the buckets begins, and the last one ends; space for
  // as many numbers.
  bucket_order(T* first, Bucket* of, const std::size_t* starts, std::size_t* heads) noexcept
      : first_(first), of_(of), starts_(starts), heads_(heads) {}

  // The elements of the buckets from low to below high; there is at least one bucket.
  void bring(std::size_t low, std::size_t high, unsigned workers) {
    const std::size_t n = starts_[high] - starts_[low];
    if (workers <= 1 || n < smallest_half || high - low == 1) return bring(low, high);
    std::size_t middle = low + 1;
    while (middle + 1 < high && starts_[middle] - starts_[low] < n / 2) ++middle;
    cut(starts_[low], starts_[middle], starts_[high], static_cast<Bucket>(middle), workers);
    fork_join([&] { bring(low, middle, workers / 2); },
              [&] { bring(middle, high, workers - workers / 2); });
  }

 private:
  // A part of either side of a cut, for one worker.
  struct part {
    std::size_t first, last;
    std::size_t wrong = 0;  // elements that belong to the other side; later: those before this part
    std::size_t partner =
        0;  // on the left: the place on the right of its first wrong one's partner
  };

  static constexpr std::size_t smallest_half = std::size_t{1} << 14;
  static constexpr std::size_t most_parts = 64;

  // Brings elements of buckets below `bucket` before `middle`, and the others behind it.
  void cut(std::size_t low, std::size_t middle, std::size_t high, Bucket bucket, unsigned workers) {
    const std::size_t parts = workers < most_parts / 4 ? 4 * workers : most_parts;
    part left[most_parts];
    part right[most_parts];
    const auto each = [&](const auto& f) {
      split_calls(
          parts,
          [&](std::size_t f1, std::size_t l1) {
            for (std::size_t p = f1; p != l1; ++p) f(p);
          },
          workers);
    };
    each([&](std::size_t p) {
      left[p] = part_of(low, middle, p, parts);
      right[p] = part_of(middle, high, p, parts);
      for (std::size_t i = left[p].first; i != left[p].last; ++i) left[p].wrong += of_[i] >= bucket;
      for (std::size_t i = right[p].first; i != right[p].last; ++i)
        right[p].wrong += of_[i] < bucket;
    });
    std::size_t wrong[2] = {};
    for (std::size_t p = 0; p < parts; ++p) {
      wrong[0] += std::exchange(left[p].wrong, wrong[0]);
      wrong[1] += std::exchange(right[p].wrong, wrong[1]);
    }
    each([&](std::size_t p) {
      std::size_t r = parts - 1;
      while (right[r].wrong > left[p].wrong) --r;
      std::size_t place = right[r].first;
      for (std::size_t skip = left[p].wrong - right[r].wrong;; ++place)
        if (place == high || (of_[place] < bucket && skip-- == 0)) break;
      left[p].partner = place;
    });
    each([&](std::size_t p) {
      std::size_t place = left[p].partner;
      for (std::size_t i = left[p].first; i != left[p].last; ++i) {
        if (of_[i] < bucket) continue;
        while (of_[place] >= bucket) ++place;
        std::swap(of_[i], of_[place]);
        std::swap(first_[i], first_[place++]);
      }
    });
  }
  static part part_of(std::size_t low, std::size_t high, std::size_t p, std::size_t parts) {
    const std::size_t size = (high - low) / parts;
    return {low + size * p, p + 1 == parts ? high : low + size * (p + 1)};
  }

  void bring(std::size_t low, std::size_t high) {
    for (std::size_t b = low; b < high; ++b) heads_[b] = starts_[b];
    for (std::size_t b = low; b < high; ++b) {
      while (heads_[b] != starts_[b + 1]) {
        if (of_[heads_[b]] == b)
          ++heads_[b];
        else
          move_cycle(heads_[b]);  // which moves the head on
      }
    }
  }

  // Where the element from there belongs: what lies there already and belongs there stays.
  std::size_t target_of(std::size_t place) {
    const std::size_t bucket = of_[place];
    std::size_t target = heads_[bucket];
    while (of_[target] == bucket) ++target;
    heads_[bucket] = target + 1;
    return target;
  }

  // The cycle ends at its beginning, which is the first place of its bucket that is not right.
  void move_cycle(std::size_t begin) {
    std::size_t ahead[places_ahead];
    T moving(std::move(first_[begin]));  // it belongs to ahead[0]
    for (std::size_t at = begin;;) {
      std::size_t k = 0;
      do {
        at = target_of(at);
        __builtin_prefetch(first_ + at, 1);
        ahead[k++] = at;
      } while (k < places_ahead && at != begin);
      if (at == begin) return shift(ahead, k, moving);
      T next(std::move(first_[at]));
      shift(ahead, k, moving);
      moving = std::move(next);
    }
  }

  void shift(const std::size_t* places, std::size_t k, T& moving) {
    for (std::size_t i = k - 1; i > 0; --i) first_[places[i]] = std::move(first_[places[i - 1]]);
    first_[places[0]] = std::move(moving);
  }

  T* const first_;
  Bucket* const of_;
  const std::size_t* const starts_;
  std::size_t* const heads_;
};

}  // namespace heist::inline v0::detail
