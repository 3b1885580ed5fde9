// Distributing elements among buckets, in order, as a sample sort does.
//
// A sample of the elements is sorted, and some of it, at equal distances, are splitters. They form
// a search tree in an array, which an element descends without a branch that depends on data: the
// place of a child is computed from the comparison. Several elements descend at a time, so that
// their comparisons, which don't depend on one another, overlap. Where the sample has equal
// splitters, each splitter gets a bucket for elements equal to it, which needs no sorting.
//
// The elements are counted first, and then moved to where their bucket lies in the other array, in
// the order in which they were: the distribution is stable. Nothing is moved before all comparisons
// are done. Whatever `less` says, each element goes to exactly one place.
//
// Source: super scalar sample sort (Sanders, Winkel, 2004); buckets for equal elements: Axtmann,
// Witt, Ferizovic, Sanders, 2017. Unlike there, the distribution isn't in place, and is stable.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "heist/detail/algorithm.hpp"
#include "heist/detail/parallel/merging.hpp"
#include "heist/detail/parallel/split_loop.hpp"

namespace heist::inline v0::detail {

// How many elements are worth a distribution; fewer are merged.
inline constexpr std::size_t distribution_cutoff = std::size_t{1} << 15;
// How many elements a bucket should have.
inline constexpr std::size_t bucket_size = 1024;

// The search tree of a distribution. It keeps copies of light elements, and otherwise their places.
template <class T, class Less>
class splitter_tree {
  using kept = std::conditional_t<is_light<T>, T, const T*>;

 public:
  static constexpr unsigned max_log = 8;
  using bucket = std::uint8_t;

  // The places of splitters, in order: at least one, and less than 2^max_log; with equal buckets
  // less than half of that.
  splitter_tree(const T* const* splitters, std::size_t n, bool has_equal_buckets, Less& less)
      : less_(less),
        log_(static_cast<unsigned>(std::bit_width(n))),
        has_equal_buckets_(has_equal_buckets),
        splitters_(n) {
    fill(splitters, 1, 0, (std::size_t{1} << log_) - 1);
    for (std::size_t i = 0; i < n; ++i) std::construct_at(in_order_ + i, keep(splitters[i]));
  }

  [[nodiscard]] std::size_t buckets() const noexcept {
    return has_equal_buckets_ ? 2 * splitters_ + 1 : splitters_ + 1;
  }
  // Whether all elements of that bucket are equal.
  [[nodiscard]] bool is_equal(std::size_t which) const noexcept {
    return has_equal_buckets_ && which % 2 == 1;
  }

  // Writes the buckets of n elements, and counts them.
  void classify(const T* first, std::size_t n, bucket* out, std::size_t* counts) const {
    std::size_t i = 0;
    for (; i + at_once <= n; i += at_once) classify<at_once>(first + i, out + i, counts);
    for (; i < n; ++i) classify<1>(first + i, out + i, counts);
  }

 private:
  static constexpr std::size_t at_once = 8;

  static kept keep(const T* place) {
    if constexpr (is_light<T>)
      return *place;
    else
      return place;
  }
  static const T& value(const kept& k) {
    if constexpr (is_light<T>)
      return k;
    else
      return *k;
  }

  // The subtree of the splitters from low to below high; beyond the last one it is repeated.
  void fill(const T* const* splitters, std::size_t node, std::size_t low, std::size_t high) {
    if (low == high) return;
    const std::size_t middle = low + (high - low) / 2;
    std::construct_at(tree_ + node, keep(splitters[middle < splitters_ ? middle : splitters_ - 1]));
    fill(splitters, 2 * node, low, middle);
    fill(splitters, 2 * node + 1, middle + 1, high);
  }

  template <std::size_t Count>
  [[gnu::always_inline]] void classify(const T* first, bucket* out, std::size_t* counts) const {
    std::size_t at[Count];
    for (auto& each : at) each = 1;
    for (unsigned level = 0; level < log_; ++level)
      for (std::size_t k = 0; k < Count; ++k)
        at[k] = 2 * at[k] + (less_(value(tree_[at[k]]), first[k]) ? 1 : 0);
    for (std::size_t k = 0; k < Count; ++k) {
      std::size_t b = at[k] - (std::size_t{1} << log_);
      if (b > splitters_) b = splitters_;  // to the right of a splitter that was repeated
      if (has_equal_buckets_)
        b = 2 * b + (b < splitters_ && !less_(first[k], value(in_order_[b])) ? 1 : 0);
      out[k] = static_cast<bucket>(b);
      ++counts[b];
    }
  }

  Less& less_;
  unsigned log_;
  bool has_equal_buckets_;
  std::size_t splitters_;
  union {
    kept tree_[std::size_t{1} << max_log];
  };
  union {
    kept in_order_[std::size_t{1} << max_log];
  };
};

// Distributes n elements from one array to another. Made by distribution::plan().
template <class T, class Less>
class distribution {
 public:
  using tree = splitter_tree<T, Less>;

  // Sorts pointers to elements.
  template <class SortPlaces>
  distribution(T* from, T* to, std::size_t n, Less& less, unsigned workers, const SortPlaces& sort)
      : from_(from),
        to_(to),
        n_(n),
        tree_(choose(from, n, less, sort)),
        chunks_(workers > 1 ? std::min<std::size_t>(4 * workers, n / smallest_chunk + 1) : 1),
        workers_(workers),
        buckets_(new typename tree::bucket[n]),
        counts_(chunks_ * tree_->buckets()) {}

  [[nodiscard]] std::size_t buckets() const noexcept { return tree_->buckets(); }
  [[nodiscard]] bool has_equal_buckets() const noexcept { return tree_->is_equal(1); }

  void run() {
    each_chunk([this](std::size_t chunk, std::size_t first, std::size_t last) {
      tree_->classify(from_ + first, last - first, buckets_.get() + first, counts_of(chunk));
    });
    // From counts to places: of bucket b those of chunk 0 come first.
    std::size_t place = 0;
    for (std::size_t b = 0; b < buckets(); ++b) {
      starts_.push_back(place);
      for (std::size_t c = 0; c < chunks_; ++c) place += std::exchange(counts_of(c)[b], place);
    }
    starts_.push_back(place);
    each_chunk([this](std::size_t chunk, std::size_t first, std::size_t last) {
      std::size_t* const places = counts_of(chunk);
      for (std::size_t i = first; i != last; ++i)
        to_[places[buckets_[i]]++] = std::move(from_[i]);
    });
  }

  // Calls f(first, size, is_equal) for each bucket that has elements.
  template <class F>
  void for_each_bucket(const F& f) const {
    split_on_demand(
        buckets(),
        [&](std::size_t first, std::size_t last) {
          for (std::size_t b = first; b != last; ++b)
            if (const std::size_t size = starts_[b + 1] - starts_[b]; size > 0)
              f(starts_[b], size, tree_->is_equal(b));
        },
        workers_);
  }

 private:
  static constexpr std::size_t smallest_chunk = 1 << 14;
  static constexpr std::size_t oversampling = 8;

  std::size_t* counts_of(std::size_t chunk) { return counts_.data() + chunk * buckets(); }

  template <class F>
  void each_chunk(const F& f) {
    split_on_demand(
        chunks_,
        [&](std::size_t first, std::size_t last) {
          for (std::size_t c = first; c != last; ++c)
            f(c, n_ / chunks_ * c, c + 1 == chunks_ ? n_ : n_ / chunks_ * (c + 1));
        },
        workers_);
  }

  template <class SortPlaces>
  static std::unique_ptr<tree> choose(const T* from, std::size_t n, Less& less,
                                      const SortPlaces& sort) {
    const auto log = std::min(tree::max_log, static_cast<unsigned>(std::bit_width(n / bucket_size)));
    const std::size_t wanted = (std::size_t{1} << log) - 1;
    std::vector<const T*> sample((wanted + 1) * oversampling);
    const std::size_t distance = n / sample.size();
    std::uint64_t random = n | 1;
    for (std::size_t i = 0; i < sample.size(); ++i) {
      random ^= random << 13;  // Marsaglia's xorshift: a place somewhere in each stretch
      random ^= random >> 7;
      random ^= random << 17;
      sample[i] = from + i * distance + random % distance;
    }
    sort(sample.data(), sample.size());
    const auto splitters = [&](std::size_t step) {
      std::vector<const T*> chosen;
      for (std::size_t i = step; i < sample.size(); i += step)
        if (chosen.empty() || less(*chosen.back(), *sample[i])) chosen.push_back(sample[i]);
      return chosen;
    };
    auto chosen = splitters(oversampling);
    const bool repeats = chosen.size() < wanted;
    if (repeats && chosen.size() > wanted / 2) chosen = splitters(2 * oversampling);
    return std::make_unique<tree>(chosen.data(), chosen.size(), repeats, less);
  }

  T* from_;
  T* to_;
  std::size_t n_;
  std::unique_ptr<tree> tree_;
  std::size_t chunks_;
  unsigned workers_;
  std::unique_ptr<typename tree::bucket[]> buckets_;  // of each element
  std::vector<std::size_t> counts_;  // of each chunk's elements in each bucket; then their places
  std::vector<std::size_t> starts_;
};

}  // namespace heist::inline v0::detail
