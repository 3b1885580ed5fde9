// A fixed tree of operations that any workers may run: the same result for any number of workers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "heist/detail/entry.hpp"
#include "heist/detail/parallel/leftmost_place.hpp"
#include "heist/detail/parallel/pace.hpp"
#include "heist/fork_join.hpp"

namespace heist::inline v0::detail {

// A binary tree over m > 0 leaves, whose left half has m / 2 of them, rounded down. Operations has
// leaf(i), the value of the i-th leaf, and join(left, right), the value of a node; both must be
// callable by several threads at once.
//
// Which values are joined is fixed. Which nodes are forks isn't: those whose leaves take more than
// a few microseconds (pace). Forks here come before any worker asks, since only a node's right half
// can be stolen, and the largest one is the oldest. So the first of many leaves is run before the
// first fork, which then is that of the whole tree: what a thief gets is the right half, as of a
// loop over the same elements, and it finds them in its cache again. Leaves may be much dearer than
// the first ones, so a node of more than a part of all leaves is a fork whatever they took. Of very
// few leaves (too_few_to_time) every node is a fork: as many forks cost no more than looking at the
// clock does.
template <class Operations>
class leaf_tree {
 public:
  using value = decltype(std::declval<const Operations&>().leaf(std::size_t{}));

  leaf_tree(const Operations& operations, unsigned workers) noexcept
      : operations_(operations), workers_(workers) {}
  leaf_tree(const leaf_tree&) = delete;
  leaf_tree& operator=(const leaf_tree&) = delete;

  value run(std::size_t leaves) {
    if constexpr (HEIST_RACE) return by_forks(0, leaves);
    if (workers_ <= 1) return serially(0, leaves);
    if (leaves <= too_few_to_time) return by_forks(0, leaves);
    if (const auto part = leaves / (parts_per_worker * workers_); part > 1) most_ = part;
    if (leaves >= first_look * workers_) first_.emplace(at_a_time(0, 1, 1));
    return run(0, leaves);
  }

 private:
  static constexpr std::size_t first_look = 32;  // as for split_loop
  static constexpr std::size_t too_few_to_time = 16;
  static constexpr std::size_t parts_per_worker = 4;
  // There is no value to return: something to the left has thrown, and its exception will be thrown
  // at the end.
  struct left_out {};

  value by_forks(std::size_t first, std::size_t last) {
    if (last - first == 1) {
      if (thrown_.is_left_of(first)) [[unlikely]]
        throw left_out{};
      return noting(first, [=, this] { return leaf(first); });
    }
    const std::size_t middle = first + (last - first) / 2;
    auto [left, right] = fork_join([=, this] { return by_forks(first, middle); },
                                   [=, this] { return by_forks(middle, last); });
    return operations_.join(std::move(left), std::move(right));
  }

  value run(std::size_t first, std::size_t last) {
    if (thrown_.is_left_of(first)) throw left_out{};
    const std::size_t n = last - first;
    const std::size_t paced = pace_.chunk();
    const std::size_t chunk = paced < most_ ? paced : most_;
    if (n == 1 || n <= chunk)
      return noting(first, [=, this] { return at_a_time(first, last, chunk); });
    const std::size_t middle = first + n / 2;
    auto [left, right] = fork_join([=, this] { return run(first, middle); },
                                   [=, this] { return run(middle, last); });
    return operations_.join(std::move(left), std::move(right));
  }

  // Runs leaves as one chunk. Fewer leaves than the chunk has say little about how many it should
  // have.
  value at_a_time(std::size_t first, std::size_t last, std::size_t chunk) {
    if (last - first <= chunk / 2) return serially(first, last);
    const std::uint64_t before = ticks();
    value result = serially(first, last);
    pace_.remember(pace::after(last - first, ticks() - before));
    return result;
  }

  // Calls f, whose leaves begin at `first`, and notes if it throws.
  template <class F>
  value noting(std::size_t first, F&& f) {
    try {
      return f();
    } catch (...) {
      thrown_.note(first);
      throw;
    }
  }

  value serially(std::size_t first, std::size_t last) {
    if (last - first == 1) return get(first);
    const std::size_t middle = first + (last - first) / 2;
    value left = last - first < 4 ? get(first) : serially(first, middle);
    return operations_.join(std::move(left), serially(middle, last));
  }

  // Once for each leaf.
  value get(std::size_t i) { return i == 0 && first_ ? std::move(*first_) : leaf(i); }

  // Not inlined: there is one instance of the leaf's code for all callers, so that the bits of the
  // result are the same.
  [[gnu::noinline]] value leaf(std::size_t i) { return operations_.leaf(i); }

  const Operations& operations_;
  const unsigned workers_;
  pace pace_;
  std::size_t most_ = 1;        // leaves of a node that is no fork
  std::optional<value> first_;  // the value of the first leaf, if that was run before the tree
  leftmost_place thrown_;
};

// Runs the tree; may be called from any thread.
template <class Operations>
auto run_tree(std::size_t leaves, const Operations& operations) {
  return on_a_worker(
      [&](unsigned workers) { return leaf_tree<Operations>(operations, workers).run(leaves); });
}

// How n elements are cut into leaves: 64 to 128 leaves, or leaves of 512 elements. It depends on n
// alone.
struct leaf_cut {
  static constexpr std::size_t max_size = 512;

  explicit constexpr leaf_cut(std::size_t n) noexcept
      : leaf_cut(n, n < 128             ? 1
                    : n / 64 < max_size ? n / 64
                                        : max_size) {}
  constexpr leaf_cut(std::size_t n, std::size_t each) noexcept : elements(n), size(each) {}

  [[nodiscard]] constexpr std::size_t count() const noexcept {
    return elements / size + (elements % size != 0 ? 1 : 0);
  }
  [[nodiscard]] constexpr std::size_t size_of(std::size_t leaf) const noexcept {
    return last(leaf) - first(leaf);
  }
  [[nodiscard]] constexpr std::size_t first(std::size_t leaf) const noexcept { return leaf * size; }
  [[nodiscard]] constexpr std::size_t last(std::size_t leaf) const noexcept {
    return elements - first(leaf) < size ? elements : first(leaf) + size;
  }

  std::size_t elements;
  std::size_t size;
};

}  // namespace heist::inline v0::detail
