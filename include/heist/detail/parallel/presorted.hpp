// What sorts know of order that is there already: elements that are in order, or in the opposite
// order, or that would be without a few of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "heist/detail/algorithm.hpp"
#include "heist/detail/parallel/merging.hpp"
#include "heist/detail/parallel/pace.hpp"
#include "heist/detail/parallel/scratch.hpp"
#include "heist/detail/parallel/small_sort.hpp"
#include "heist/detail/parallel/split_loop.hpp"

namespace heist::inline v0::detail {

// Elements; from here on a plain pass over them is parallel.
inline constexpr std::size_t parallel_pass = 16'384;

// What is nearly in order takes one worker little more than a pass; on two, sorting all of it took
// longer. From how many workers on it takes less wasn't measured: a sort is some eight passes.
inline constexpr unsigned few_workers = 4;

// Moves n elements from one place to another.
template <class From, class To>
void move_all(From from, To to, std::size_t n, unsigned workers) {
  split_calls(
      n,
      [&](std::size_t f, std::size_t l) {
        transfer<by_move>(iterator_at(from, f), iterator_at(from, l), iterator_at(to, f));
      },
      n < parallel_pass ? 1 : workers);
}

// Whether test(first, last) is true for some chunk of [0, n). All workers stop soon after one is.
template <class Test>
bool holds_in_some(std::size_t n, unsigned workers, const Test& test) {
  std::atomic<bool> holds{false};  // relaxed: the loop's end orders it
  split_calls(
      n,
      [&](std::size_t first, std::size_t last) {
        if (holds.load(std::memory_order_relaxed)) return false;
        if (!test(first, last)) return true;
        holds.store(true, std::memory_order_relaxed);
        return false;
      },
      workers);
  return holds.load(std::memory_order_relaxed);
}

// Whether test(i) is false for every i below n.
template <class Test>
bool holds_nowhere(std::size_t n, unsigned workers, const Test& test) {
  const auto in_part = [&](std::size_t i, std::size_t end) {
    // The tests of a block don't wait for one another. The first one is small: most inputs end it.
    for (std::size_t block = 4; i < end; block = 16) {
      const std::size_t last = end - i < block ? end : i + block;
      bool any = false;
      for (; i != last; ++i) any |= test(i);
      if (any) return false;
    }
    return true;
  };
  constexpr std::size_t part = 1024;
  std::size_t done = 0;
  if (workers > 1) {
    // A pass that is over sooner than a worker has woken up isn't worth waking one.
    const std::uint64_t began = ticks();
    for (; n - done >= parallel_pass && ticks() - began < 16 * ticks_per_chunk(); done += part)
      if (!in_part(done, done + part)) return false;
  }
  if (workers <= 1 || n - done < parallel_pass) return in_part(done, n);
  const std::size_t parts = (n - done + part - 1) / part;
  return !holds_in_some(parts, workers, [&](std::size_t first, std::size_t last) {
    return !in_part(done + first * part, last == parts ? n : done + last * part);
  });
}

// Whether the n > 1 elements were in order, or were in the opposite order and have been reversed.
template <class It, class Less>
bool settled_by_order(It first, std::size_t n, Less& less, unsigned workers) {
  const auto descends = [&](std::size_t i) -> bool {
    return less(element_at(first, i + 1), element_at(first, i));
  };
  if (!descends(0)) return holds_nowhere(n - 1, workers, descends);
  if (!holds_nowhere(n - 1, workers, [&](std::size_t i) { return !descends(i); })) return false;
  split_calls(
      n / 2,
      [&](std::size_t f, std::size_t l) {
        for (std::size_t i = f; i != l; ++i)
          std::ranges::iter_swap(iterator_at(first, i), iterator_at(first, n - 1 - i));
      },
      n < parallel_pass ? 1 : workers);
  return true;
}

enum class disorder : std::uint8_t {
  runs,    // a few long parts that are in order, or in the opposite order
  little,  // perhaps a few elements that are out of place
  much,
};

// What samples of neighbours show.
template <class It, class Less>
disorder disorder_of(It first, std::size_t n, Less& less) {
  constexpr std::size_t windows = 32, window = 16;
  if (n < 2 * windows * window) return disorder::much;
  // By the golden ratio, so that windows don't begin where parts of equal sizes do.
  constexpr std::size_t places = 997, apart = 616;
  std::size_t turns = 0;
  for (std::size_t w = 0; w < windows; ++w) {
    const It from = iterator_at(first, (n - window) / places * (w * apart % places));
    bool descended = less(element_at(from, 1), element_at(from, 0));
    for (std::size_t i = 1; i < window; ++i) {
      const bool descends = less(element_at(from, i + 1), element_at(from, i));
      turns += descends != descended ? 1 : 0;
      descended = descends;
    }
    if (turns > windows * window / 8) return disorder::much;
  }
  return turns <= windows * window / 64 ? disorder::runs : disorder::little;
}

// How many elements belong to the first of two parts that are sorted apart and then merged. In many
// elements it ends where the run that lies in the middle begins or ends, whichever is nearer, so
// that few runs are cut. Then each part gets a sixth of the elements or more, whatever `less` says.
// One worker looks for it, and no further than its share of a pass.
//
// Source: peeksort (Munro, Wild, 2018).
template <class It, class Less>
std::size_t cut_for_merging(It first, std::size_t n, Less& less, unsigned workers) {
  const std::size_t middle = n / 2;
  if (n < 8 * small_sort_size)  // blocks of small_sort_size elements, except for the last one
    return (middle + small_sort_size - 1) / small_sort_size * small_sort_size;
  const auto descends = [&](std::size_t i) -> bool {
    return less(element_at(first, i), element_at(first, i - 1));
  };
  const std::size_t reach = n / (workers < 3 ? 3 : workers);
  const bool down = descends(middle);
  if (down && !descends(middle + 1)) return middle;
  for (std::size_t k = 1; k <= reach; ++k) {
    if (descends(middle + k) != down) return middle + k;
    if (descends(middle - k) != down) return middle - k;
  }
  return middle;
}

// Whether elements that will be neighbours mostly lie near one another now, as in an array that has
// been rotated, and not as in one that goes up and down: there each has neighbours at both ends. Of
// elements at large distances few may then have others as neighbours than they will have in order.
template <class It, class Less>
bool lies_in_few_blocks(It first, std::size_t n, Less& less) {
  constexpr std::size_t samples = 64;
  std::size_t order[samples];
  for (std::size_t i = 0; i < samples; ++i) order[i] = i;
  const auto before = [&](std::size_t a, std::size_t b) -> bool {
    return less(element_at(first, n / samples * a), element_at(first, n / samples * b));
  };
  insertion_sort(order, order + samples, before);
  std::size_t apart = 0;
  for (std::size_t i = 0; i + 1 < samples; ++i)
    apart += order[i + 1] != order[i] + 1 && order[i] != order[i + 1] + 1 ? 1 : 0;
  return apart < samples / 8;
}

// Sorts n elements of which few are out of place: those that keep the others from being in order
// are taken out, sorted, and put back where they belong. It takes little more than n comparisons,
// and of the second array only as much as is taken out: new memory takes longer than a pass.
//
// An element that is less than the last one that stays is taken out, or the few last ones are that
// are greater than it: a single great element must not take out all that follow.
//
// Equal elements keep their order. Of the i-th element taken out, at place p, it is known that p -
// i of those that stay were before it.
//
// Source: drop-merge sort (Ernerfeldt, 2017). That is not stable.
template <class T, class Less>
class nearly_sorted {
  static_assert(is_light<T>);

 public:
  nearly_sorted(T* here, T* there, std::size_t n, Less& less) noexcept
      : here_(here),
        there_(there),
        n_(n),
        most_(n / share),
        less_(less),
        places_(3 * (most_ + recent)),
        order_(places_.data() + most_ + recent) {}

  // Sorts the elements at `here`, with what is at the beginning of `there` lost. It answers false,
  // and has moved nothing, if too many elements are out of place, or if there is no memory.
  bool sort() {
    if (places_.data() == nullptr || !choose()) return false;
    if (count_ == 0) return true;
    for (std::size_t i = 0; i < count_; ++i) order_[i] = places_[i];
    const auto less = [this](std::size_t a, std::size_t b) -> bool {
      return less_(here_[a], here_[b]);
    };
    sort_places(order_, order_ + most_ + recent, count_, less);
    take_out();
    std::size_t* const targets = order_ + most_ + recent;
    for (std::size_t i = 0; i < count_; ++i)
      targets[i] = target_of(there_[i], order_[i], i == 0 ? 0 : targets[i - 1]);
    put_back(targets);
    return true;
  }

 private:
  static constexpr std::size_t share = 8;      // at most one of so many is taken out,
  static constexpr std::size_t patience = 32;  // and of a beginning at most so many more
  static constexpr std::size_t recent = 4;     // so many great ones may follow one another

  // Finds the places of those that are to be taken out, in ascending order.
  bool choose() {
    std::size_t stay[recent] = {};  // the places of the last ones that stay, in a ring
    std::size_t height = 1;         // how many stay
    std::size_t known = 0;          // of those at heights from here on the places are in the ring
    const T* last = here_;
    for (std::size_t i = 1; i < n_; ++i) {
      if (less_(here_[i], *last)) {
        if (count_ >= i / share + patience || count_ >= most_) return false;
        if (height > known + recent) known = height - recent;
        std::size_t below = height - 1;
        while (below > known && less_(here_[i], here_[stay[(below - 1) % recent]])) --below;
        if (below <= known) {
          places_[count_++] = i;
          continue;
        }
        for (; height > below; --height) insert(stay[(height - 1) % recent]);
      }
      stay[height++ % recent] = i;
      last = here_ + i;
    }
    return true;
  }

  // Each place moves past at most `recent` others, as those were taken out after it had stayed.
  void insert(std::size_t place) {
    std::size_t i = count_++;
    for (; i > 0 && places_[i - 1] > place; --i) places_[i] = places_[i - 1];
    places_[i] = place;
  }

  template <class ByElement>
  static void sort_places(std::size_t* v, std::size_t* buffer, std::size_t n,
                          const ByElement& less) {
    constexpr std::size_t few = 16;
    if (n <= few) return insertion_sort(v, v + n, less);
    const std::size_t half = n / 2;
    sort_places(v, buffer, half, less);
    sort_places(v + half, buffer + half, n - half, less);
    for (std::size_t i = 0; i < n; ++i) buffer[i] = v[i];
    merge_simply<by_copy>(buffer, buffer + half, buffer + half, buffer + n, v, less);
  }

  // Copies the others in their order, and moves those that stay together.
  void take_out() {
    for (std::size_t i = 0; i < count_; ++i) there_[i] = here_[order_[i]];
    T* to = here_ + places_[0];
    for (std::size_t i = 0; i < count_; ++i)
      to = transfer<by_copy>(here_ + places_[i] + 1,
                             here_ + (i + 1 == count_ ? n_ : places_[i + 1]), to);
  }

  // How many of those that stay belong before `moving`, which was taken out at that place; `least`
  // or more.
  std::size_t target_of(const T& moving, std::size_t place, std::size_t least) const {
    const std::size_t stay = n_ - count_;
    const std::size_t less =
        least + partition_point(here_ + least, stay - least,
                                [&](const T& e) -> bool { return less_(e, moving); });
    if (less == stay || less_(moving, here_[less])) return less;
    const std::size_t before =
        place - partition_point(places_.data(), count_, [=](std::size_t p) { return p < place; });
    const std::size_t equal =
        less + partition_point(here_ + less, stay - less,
                               [&](const T& e) -> bool { return !less_(moving, e); });
    return before < less ? less : before > equal ? equal : before;
  }

  // From the end: what lies between two targets moves up by as many as belong before it.
  void put_back(const std::size_t* targets) {
    std::size_t end = n_ - count_;
    for (std::size_t i = count_; i > 0; --i) {
      for (std::size_t k = end; k > targets[i - 1]; --k) here_[k - 1 + i] = here_[k - 1];
      end = targets[i - 1];
      here_[end + i - 1] = there_[i - 1];
    }
  }

  T* const here_;
  T* const there_;
  const std::size_t n_;
  const std::size_t most_;
  Less& less_;
  const scratch<std::size_t> places_;  // of those that are taken out
  std::size_t* const order_;           // the same, in the elements' order
  std::size_t count_ = 0;
};

}  // namespace heist::inline v0::detail
