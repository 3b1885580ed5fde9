// Sorting numbers, by a library that uses the processor's vectors: Highway's vqsort, where the
// system has it. On one worker that is all. Several workers first cut the range in place where a
// sample has its median, until there is a part for each, and then sort the parts.
//
// Source: Fast and Robust Vectorized In-Place Sorting of Primitive Types (Wassenberg, Blacher,
// Giesen, Sanders, 2022).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "heist/detail/export.hpp"
#include "heist/detail/functional.hpp"
#include "heist/detail/parallel/presorted.hpp"
#include "heist/detail/parallel/split_loop.hpp"
#include "heist/detail/xorshift.hpp"
#include "heist/fork_join.hpp"

namespace heist::inline v0::detail {

enum class key_kind : std::uint8_t { u16, i16, u32, i32, u64, i64, f32, f64 };

// Sorts n keys in place.
using key_sort_function = void (*)(void* keys, std::size_t n) noexcept;

// The function for such keys, or nullptr: the library isn't there, or is only being loaded, or the
// caller's stack is too small for it. It is loaded on a thread of its own, and when so much has
// been sorted that it pays; a call for many keys waits, for less time than the function saves. n:
// how many keys it is for.
HEIST_API key_sort_function vectorised_sort(key_kind kind, bool descends, std::size_t n);

// Fewer are sorted as quickly otherwise.
inline constexpr std::size_t least_keys = 256;

// The standard library's orders of T, from the least and from the greatest.
template <class Less, class T>
inline constexpr bool is_less =
    std::is_same_v<Less, std::less<>> || std::is_same_v<Less, std::less<T>> ||
    std::is_same_v<Less, std::ranges::less>;
template <class Less, class T>
inline constexpr bool is_greater =
    std::is_same_v<Less, std::greater<>> || std::is_same_v<Less, std::greater<T>> ||
    std::is_same_v<Less, std::ranges::greater>;

template <class T>
inline constexpr bool is_key =
    std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, long double> &&
    (sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);
template <class T>
constexpr key_kind kind_of_key() {
  if constexpr (std::is_floating_point_v<T>)
    return sizeof(T) == 4 ? key_kind::f32 : key_kind::f64;
  else if constexpr (sizeof(T) == 2)
    return std::is_signed_v<T> ? key_kind::i16 : key_kind::u16;
  else if constexpr (sizeof(T) == 4)
    return std::is_signed_v<T> ? key_kind::i32 : key_kind::u32;
  else
    return std::is_signed_v<T> ? key_kind::i64 : key_kind::u64;
}

template <class T, class Less>
class key_sorter {
 public:
  key_sorter(Less& less, key_sort_function by, std::size_t n, unsigned workers) noexcept
      : less_(less), sort_(by), workers_(workers), part_(n / workers + n / workers / 2) {}

  void sort(T* first, std::size_t n) { sort(first, n, most_cuts); }

 private:
  static constexpr unsigned most_cuts = 20;  // one within the other; most are even
  static constexpr std::size_t smallest_chunk = std::size_t{1} << 12;
  static constexpr std::size_t most_chunks = 64;
  static constexpr std::size_t uneven = 16;  // a side with less than one of so many
  static constexpr std::size_t sample_size = 255;

  // What is to be sorted to the left and to the right of a cut.
  struct sides {
    std::size_t left, right;
  };

  void sort(T* first, std::size_t n, unsigned cuts) {
    if (workers_ <= 1 || n < least_cut() || n <= part_ || cuts == 0) return sort_(first, n);
    const sides s = cut_by_sample(first, n);
    if (s.left == n) return sort_(first, n);
    fork_join([=, this] { sort(first, s.left, cuts - 1); },
              [=, this] { sort(first + (n - s.right), s.right, cuts - 1); });
  }

  // {n, 0}: a cut isn't worth it. Not inlined: its memory isn't needed during what follows.
  [[gnu::noinline]] sides cut_by_sample(T* first, std::size_t n) {
    T sample[sample_size];
    if (sample_of(first, n, sample) < worth_cutting()) return {n, 0};
    const T pivot = sample[sample_size / 2];
    const std::size_t left = cut<false>(first, n, pivot);
    const std::size_t equal =
        left < n / uneven ? cut<true>(first + left, n - left, pivot) : std::size_t{0};
    return {left, n - left - equal};
  }

  // On two workers fewer keys, and such of few values, are sorted as soon by one of them; on eight
  // and more that was not measured.
  [[nodiscard]] std::size_t least_cut() const noexcept {
    return std::size_t{1} << (workers_ < 8 ? 17 : 15);
  }
  // How many of a sample must differ.
  [[nodiscard]] std::size_t worth_cutting() const noexcept { return workers_ < 8 ? 200 : 24; }

  // Takes a sorted sample. How many of it differ.
  std::size_t sample_of(const T* first, std::size_t n, T (&sample)[sample_size]) {
    std::uint64_t random = n | 1;
    for (T& each : sample) each = first[(random = xorshift(random)) % n];
    sort_(sample, sample_size);
    std::size_t different = 1;
    for (std::size_t i = 1; i < sample_size; ++i) different += sample[i] != sample[i - 1] ? 1 : 0;
    return different;
  }

  // What lies in chunk c: those that belong to the left before `middle`, and then the others.
  struct chunk {
    std::size_t first, middle, last;
  };
  // Two stretches of the range that change places.
  struct exchange {
    std::size_t left, right, size;
  };

  // Moves those that belong to the left of the pivot, or with TakesEqual those not to its right, to
  // the beginning. How many they are. Each chunk is cut by itself, and then what is on the wrong
  // side changes places.
  template <bool TakesEqual>
  std::size_t cut(T* first, std::size_t n, T pivot) {
    const std::size_t chunks = chunks_for(n);
    chunk cuts[most_chunks];
    each(chunks, [&](std::size_t c) {
      chunk& k = cuts[c];
      k.first = n / chunks * c;
      k.last = c + 1 == chunks ? n : n / chunks * (c + 1);
      k.middle = k.first + cut_serially<TakesEqual>(first + k.first, k.last - k.first, pivot);
    });
    std::size_t left = 0;
    for (std::size_t c = 0; c < chunks; ++c) left += cuts[c].middle - cuts[c].first;
    exchange wrong[2 * most_chunks];
    each(find_wrong(cuts, chunks, left, wrong), [&](std::size_t i) {
      const exchange& e = wrong[i];
      for (std::size_t k = 0; k < e.size; ++k) std::swap(first[e.left + k], first[e.right + k]);
    });
    return left;
  }

  // No branch depends on a comparison.
  template <bool TakesEqual>
  std::size_t cut_serially(T* first, std::size_t n, T pivot) {
    std::size_t left = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const T each = first[i];
      first[i] = first[left];
      first[left] = each;
      left += (TakesEqual ? !less_(pivot, each) : less_(each, pivot)) ? 1 : 0;
    }
    return left;
  }

  // Pairs the stretches before `left` that belong behind it with those behind it. How many pairs.
  static std::size_t find_wrong(const chunk* cuts, std::size_t chunks, std::size_t left,
                                exchange* wrong) {
    const auto max = [](std::size_t a, std::size_t b) { return a < b ? b : a; };
    const auto min = [](std::size_t a, std::size_t b) { return a < b ? a : b; };
    std::size_t pairs = 0;
    std::size_t r = 0;
    std::size_t taken = 0;  // of the stretch of chunk r
    for (std::size_t c = 0; c < chunks; ++c) {
      std::size_t at = cuts[c].middle;
      const std::size_t end = min(cuts[c].last, left);
      while (at < end) {
        const std::size_t from = max(cuts[r].first, left) + taken;
        if (from >= cuts[r].middle) {
          ++r;
          taken = 0;
          continue;
        }
        const std::size_t size = min(end - at, cuts[r].middle - from);
        wrong[pairs++] = {at, from, size};
        at += size;
        taken += size;
      }
    }
    return pairs;
  }

  [[nodiscard]] std::size_t chunks_for(std::size_t n) const noexcept {
    std::size_t chunks = n / smallest_chunk + 1;
    if (chunks > 4 * std::size_t{workers_}) chunks = 4 * std::size_t{workers_};
    return chunks < most_chunks ? chunks : most_chunks;
  }

  template <class F>
  void each(std::size_t n, const F& f) {
    split_calls(
        n,
        [&f](std::size_t first, std::size_t last) {
          for (std::size_t i = first; i != last; ++i) f(i);
        },
        workers_);
  }

  Less& less_;
  const key_sort_function sort_;
  const unsigned workers_;
  const std::size_t part_;  // elements that one worker sorts
};

// Whether a number is none, which has no place in an order.
template <class T>
bool has_nan(const T* first, std::size_t n, unsigned workers) {
  return holds_in_some(n, workers, [&](std::size_t from, std::size_t to) {
    bool here = false;
    for (std::size_t i = from; i != to; ++i) here |= first[i] != first[i];
    return here;
  });
}

// Whether it is worth a look at all neighbours whether they are in order: not if some keys at
// distances aren't, and not if those are equal. Then mostly all are, as the library finds sooner.
template <class T>
bool may_be_in_order(const T* first, std::size_t n) {
  constexpr std::size_t samples = 16;
  bool ascends = false;
  bool descends = false;
  for (std::size_t i = 1; i < samples; ++i) {
    const T& before = first[n / samples * (i - 1)];
    const T& after = first[n / samples * i];
    ascends |= before < after;
    descends |= after < before;
  }
  return ascends != descends;
}

// Sorts keys, if that can be had. Less compares numbers, as < or > does.
template <class T, class Less>
bool sort_keys(T* first, std::size_t n, Less& less, unsigned workers) {
  if (n < least_keys) return settled_by_order(first, n, less, workers);
  const key_sort_function sort = vectorised_sort(kind_of_key<T>(), is_greater<Less, T>, n);
  if ((sort == nullptr || may_be_in_order(first, n)) && settled_by_order(first, n, less, workers))
    return true;
  if (sort == nullptr) return false;
  if constexpr (std::is_floating_point_v<T>)
    if (has_nan(first, n, workers)) return false;
  key_sorter<T, Less>(less, sort, n, workers > 1 ? workers : 1).sort(first, n);
  return true;
}

}  // namespace heist::inline v0::detail
