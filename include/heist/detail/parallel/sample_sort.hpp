// Distributing elements among buckets, in order, as a sample sort does.
//
// A sample of the elements is sorted, and some of it, at equal distances, are splitters. They form
// a search tree in an array, which an element descends without a branch that depends on data: the
// place of a child is computed from the comparison. Several elements descend at a time, so that
// their comparisons, which don't depend on one another, overlap. Where the sample has equal
// splitters, each splitter gets a bucket for elements equal to it, which needs no sorting.
//
// The elements are counted first, and then moved to where their bucket lies in another array, in
// the order in which they were: the distribution is stable. Nothing is moved before all comparisons
// are done. Whatever `less` says, each element goes to exactly one place.
//
// Source: super scalar sample sort (Sanders, Winkel, 2004); buckets for equal elements: Axtmann,
// Witt, Ferizovic, Sanders, 2017. Unlike there, the distribution isn't in place, and is stable.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "heist/detail/parallel/merging.hpp"
#include "heist/detail/parallel/scratch.hpp"
#include "heist/detail/parallel/split_loop.hpp"
#include "heist/detail/xorshift.hpp"

namespace heist::inline v0::detail {

// How many elements are worth a distribution; fewer are merged.
inline constexpr std::size_t distribution_cutoff = 2048;
// How many elements a bucket should have.
inline constexpr std::size_t bucket_size = 256;

// The search tree of a distribution. A splitter is an element or, of heavy ones, a pointer to one.
template <class T, class Kept, class Less>
class splitter_tree {
 public:
  static constexpr unsigned max_log = 8;
  static constexpr std::size_t most = std::size_t{1} << max_log;
  using bucket = std::uint8_t;

  explicit splitter_tree(Less& less) noexcept : less_(less) {}

  // Takes every step-th of a sorted sample, unless it is equal to the one before. Then `of`
  // splitters were to be had, at most most - 1; there is at least one.
  void choose(const Kept* sample, std::size_t of, std::size_t step) {
    splitters_ = 0;
    for (std::size_t i = 1; i <= of; ++i)
      if (splitters_ == 0 || less_(value(in_order_[splitters_ - 1]), value(sample[i * step])))
        std::construct_at(in_order_ + splitters_++, sample[i * step]);
    log_ = static_cast<unsigned>(std::bit_width(splitters_));
    fill(1, 0, (std::size_t{1} << log_) - 1);
  }
  [[nodiscard]] std::size_t splitters() const noexcept { return splitters_; }

  // From now on there are buckets for what equals a splitter; there must be less than most / 2.
  void separate_equal() noexcept { has_equal_buckets_ = true; }

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
    if (has_equal_buckets_) {
      for (; i + at_once <= n; i += at_once) descend<at_once, true>(first + i, out + i, counts);
      for (; i < n; ++i) descend<1, true>(first + i, out + i, counts);
    } else {
      for (; i + at_once <= n; i += at_once) descend<at_once, false>(first + i, out + i, counts);
      for (; i < n; ++i) descend<1, false>(first + i, out + i, counts);
    }
  }

 private:
  static constexpr std::size_t at_once = 8;

  static const T& value(const Kept& kept) {
    if constexpr (std::is_same_v<T, Kept>)
      return kept;
    else
      return *kept;
  }

  // The subtree of the splitters from low to below high; beyond the last one it is repeated.
  void fill(std::size_t node, std::size_t low, std::size_t high) {
    if (low == high) return;
    const std::size_t middle = low + (high - low) / 2;
    std::construct_at(tree_ + node, in_order_[middle < splitters_ ? middle : splitters_ - 1]);
    fill(2 * node, low, middle);
    fill(2 * node + 1, middle + 1, high);
  }

  template <std::size_t Count, bool HasEqualBuckets>
  [[gnu::always_inline]] void descend(const T* first, bucket* out, std::size_t* counts) const {
    std::size_t at[Count];
#pragma GCC unroll 8
    for (std::size_t k = 0; k < Count; ++k) at[k] = 1;
    for (unsigned level = 0; level < log_; ++level) {
#pragma GCC unroll 8
      for (std::size_t k = 0; k < Count; ++k)
        at[k] = 2 * at[k] + (less_(value(tree_[at[k]]), first[k]) ? 1 : 0);
    }
#pragma GCC unroll 8
    for (std::size_t k = 0; k < Count; ++k) {
      std::size_t b = at[k] - (std::size_t{1} << log_);
      if (b > splitters_) b = splitters_;  // to the right of a splitter that was repeated
      if constexpr (HasEqualBuckets)
        b = 2 * b + (b < splitters_ && !less_(first[k], value(in_order_[b])) ? 1 : 0);
      out[k] = static_cast<bucket>(b);
      ++counts[b];
    }
  }

  Less& less_;
  unsigned log_ = 0;
  bool has_equal_buckets_ = false;
  std::size_t splitters_ = 0;
  union {
    Kept tree_[most];
  };
  union {
    Kept in_order_[most];
  };
};

// Distributes n elements. plan() chooses the buckets, run() moves.
template <class T, class Kept, class Less>
class distribution {
  using tree = splitter_tree<T, Kept, Less>;

 public:
  using bucket = typename tree::bucket;
  // sort_sample(sample, buffer, m) sorts m of type Kept.
  template <class SortSample>
  distribution(T* from, std::size_t n, Less& less, unsigned workers, const SortSample& sort_sample)
      : from_(from),
        n_(n),
        chunks_(workers > 1 ? chunks_for(n, workers) : 1),
        workers_(workers),
        buckets_(n),
        counts_((chunks_ + 2) * (tree::most + 1)),
        tree_(less),
        is_planned_(buckets_.data() != nullptr && counts_.data() != nullptr &&
                    choose(sort_sample)) {}

  // False: there is no memory, or too many elements would be in one bucket.
  [[nodiscard]] bool plan() const noexcept { return is_planned_; }

  // Counts the elements of each bucket. Nothing is moved.
  void classify() {
    each_chunk([this](std::size_t chunk, std::size_t first, std::size_t last) {
      std::size_t* const counts = counts_of(chunk);
      for (std::size_t b = 0; b < tree_.buckets(); ++b) counts[b] = 0;
      tree_.classify(from_ + first, last - first, buckets_.data() + first, counts);
    });
    // From counts to places: of bucket b those of chunk 0 come first.
    std::size_t place = 0;
    for (std::size_t b = 0; b < tree_.buckets(); ++b) {
      starts()[b] = place;
      for (std::size_t c = 0; c < chunks_; ++c) place += std::exchange(counts_of(c)[b], place);
    }
    starts()[tree_.buckets()] = place;
  }

  // Calls move(from, to) once for each place.
  template <class Move>
  void run(const Move& move) {
    classify();
    each_chunk([this, &move](std::size_t chunk, std::size_t first, std::size_t last) {
      std::size_t* const places = counts_of(chunk);
      for (std::size_t i = first; i != last; ++i) move(i, places[buckets_[i]]++);
    });
  }

  // After classify(): the bucket of each element; where each bucket begins, and the last one ends.
  [[nodiscard]] bucket* buckets() const noexcept { return buckets_.data(); }
  [[nodiscard]] std::size_t* starts() const { return counts_.data(); }
  [[nodiscard]] std::size_t number() const noexcept { return tree_.buckets(); }
  // Space for a number of each bucket.
  [[nodiscard]] std::size_t* heads() const { return counts_.data() + (tree::most + 1); }

  // Calls f(first, size, is_equal) for each bucket that has elements.
  template <class F>
  void for_each_bucket(const F& f) const {
    split_calls(
        tree_.buckets(),
        [&](std::size_t first, std::size_t last) {
          for (std::size_t b = first; b != last; ++b)
            if (const std::size_t size = starts()[b + 1] - starts()[b]; size > 0)
              f(starts()[b], size, tree_.is_equal(b));
        },
        workers_);
  }

 private:
  static constexpr std::size_t smallest_chunk = 1 << 13;
  static constexpr std::size_t oversampling = 6;
  static constexpr std::size_t probes = 128;

  static std::size_t chunks_for(std::size_t n, unsigned workers) {
    const std::size_t most = n / smallest_chunk + 1;
    return 4 * workers < most ? 4 * workers : most;
  }

  [[nodiscard]] std::size_t* counts_of(std::size_t chunk) const {
    return counts_.data() + (chunk + 2) * (tree::most + 1);
  }

  template <class F>
  void each_chunk(const F& f) {
    split_calls(
        chunks_,
        [&](std::size_t first, std::size_t last) {
          for (std::size_t c = first; c != last; ++c)
            f(c, n_ / chunks_ * c, c + 1 == chunks_ ? n_ : n_ / chunks_ * (c + 1));
        },
        workers_);
  }

  template <class SortSample>
  bool choose(const SortSample& sort_sample) {
    auto log = static_cast<unsigned>(std::bit_width(n_ / bucket_size));
    if (log > tree::max_log) log = tree::max_log;
    const std::size_t wanted = (std::size_t{1} << log) - 1;
    const std::size_t size = (wanted + 1) * oversampling;
    const scratch<Kept> sample(2 * size);
    if (sample.data() == nullptr) return false;
    const std::size_t distance = n_ / size;
    std::uint64_t random = n_ | 1;
    for (std::size_t i = 0; i < size; ++i) {
      // A place somewhere in each stretch.
      T* const place = from_ + (i * distance + (random = xorshift(random)) % distance);
      if constexpr (std::is_same_v<T, Kept>)
        std::construct_at(sample.data() + i, *place);
      else
        sample[i] = place;
    }
    sort_sample(sample.data(), sample.data() + size, size);
    tree_.choose(sample.data(), wanted, oversampling);
    if (tree_.splitters() < wanted) {
      if (tree_.splitters() > wanted / 2) tree_.choose(sample.data(), wanted / 2, 2 * oversampling);
      tree_.separate_equal();
    }
    return is_even();
  }

  // Whether no bucket gets most of some elements, unless they are equal. An input that was made
  // against samples does not cost many comparisons.
  [[nodiscard]] bool is_even() {
    std::size_t* const counts = starts();
    for (std::size_t b = 0; b < tree_.buckets(); ++b) counts[b] = 0;
    for (std::size_t i = 0; i < probes; ++i)
      tree_.classify(from_ + n_ / probes * i, 1, buckets_.data(), counts);
    for (std::size_t b = 0; b < tree_.buckets(); ++b)
      if (counts[b] > probes * 3 / 4 && !tree_.is_equal(b)) return false;
    return true;
  }

  T* const from_;
  const std::size_t n_;
  const std::size_t chunks_;
  const unsigned workers_;
  const scratch<bucket> buckets_;  // of each element
  // The buckets' places; the same, to be changed; for each chunk, how many of its elements are in
  // each bucket, and later where the next one of them goes.
  const scratch<std::size_t> counts_;
  tree tree_;
  const bool is_planned_;
};

}  // namespace heist::inline v0::detail
