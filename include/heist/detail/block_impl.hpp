// The machinery of <heist/block.hpp>: loops over the cells of a block.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "heist/block.hpp"
#include "heist/detail/bad_range.hpp"
#include "heist/detail/entry.hpp"
#include "heist/detail/parallel/leftmost_place.hpp"
#include "heist/detail/parallel/pace.hpp"
#include "heist/detail/stopping.hpp"
#include "heist/fork_join.hpp"

namespace heist::inline v0 {

namespace detail {

template <class Body, std::size_t D>
concept tile_body = std::invocable<Body&, const block<D>&>;
template <class Body, std::size_t D>
concept cell_body = (D == 2 && std::invocable<Body&, std::size_t, std::size_t>) ||
                    (D == 3 && std::invocable<Body&, std::size_t, std::size_t, std::size_t>);

template <std::size_t D, class Body>
[[gnu::always_inline]] inline void run_tile(Body& body, const block<D>& b) {
  if constexpr (tile_body<Body, D>) {
    body(b);
  } else if constexpr (D == 2) {
    for (std::size_t y = b.first[0]; y != b.last[0]; ++y)
      for (std::size_t x = b.first[1]; x != b.last[1]; ++x) body(y, x);
  } else {
    for (std::size_t z = b.first[0]; z != b.last[0]; ++z)
      for (std::size_t y = b.first[1]; y != b.last[1]; ++y)
        for (std::size_t x = b.first[2]; x != b.last[2]; ++x) body(z, y, x);
  }
}

// Cuts a block in two where it is longest until a tile takes a few microseconds (pace), and forks
// the halves, so that thieves find the large ones. Work is called as work(tile); if it returns
// bool, false ends the whole loop: nothing is cut any further.
template <std::size_t D, class Work>
class block_loop {
 public:
  block_loop(Work& work, unsigned workers) noexcept : work_(work), workers_(workers) {}

  void run(const block<D>& all) {
    if (workers_ <= 1)
      work(all);
    else
      run(all, HEIST_RACE || all.size() < first_look * workers_ ? cells_are::few : cells_are::many,
          {});
  }

 private:
  static constexpr std::size_t first_look = 32;  // as for split_loop
  enum class cells_are : std::uint8_t { few, many };

  // The path to a block: 0 for a left half, 1 for a right one, from the highest bit on. Of two
  // blocks that aren't inside one another the one with the greater path is to the right. Paths that
  // differ only after 64 cuts count as equal.
  struct way {
    std::size_t bits = 0;
    std::size_t next = ~(SIZE_MAX >> 1);

    [[nodiscard]] way left() const noexcept { return {bits, next >> 1}; }
    [[nodiscard]] way right() const noexcept { return {bits | next, next >> 1}; }
  };

  void run(const block<D>& b, cells_are cells, way here) {
    // Relaxed: a worker that sees the end late runs one more tile.
    if (ended_.load(std::memory_order_relaxed) || thrown_.is_left_of(here.bits)) return;
    const std::size_t n = b.size();
    const std::size_t chunk = HEIST_RACE ? 1 : pace_.chunk();
    if (n == 1 || n <= chunk) {
      const std::uint64_t before = ticks();
      try {
        work(b);
      } catch (...) {
        thrown_.note(here.bits);
        throw;
      }
      // A tile that is smaller than the chunk says little about the cost.
      if (n > chunk / 2) pace_.remember(pace::after(n, ticks() - before));
      return;
    }
    const std::size_t d = longest(b);
    const std::size_t middle = b.first[d] + b.extent(d) / 2;
    block<D> left = b;
    block<D> right = b;
    left.last[d] = right.first[d] = middle;
    if (chunk == 0 && cells == cells_are::many) {  // find out first what a cell costs
      run(left, cells, here.left());
      run(right, cells, here.right());
    } else {
      fork_join([&] { run(left, cells_are::few, here.left()); },
                [&] { run(right, cells_are::few, here.right()); });
    }
  }

  static std::size_t longest(const block<D>& b) noexcept {
    std::size_t longest = 0;
    for (std::size_t d = 1; d < D; ++d)
      if (b.extent(d) > b.extent(longest)) longest = d;
    return longest;
  }

  // Out of line, so that the cells are compiled once, as plain counted loops.
  [[gnu::noinline]] void work(const block<D>& b) {
    if constexpr (std::is_void_v<std::invoke_result_t<Work&, const block<D>&>>) {
      work_(b);
    } else if (!work_(b)) {
      ended_.store(true, std::memory_order_relaxed);
    }
  }

  Work& work_;
  const unsigned workers_;
  pace pace_;
  leftmost_place thrown_;
  std::atomic<bool> ended_{false};
};

// Asks the stop condition before each tile, and counts cells.
template <std::size_t D, class Stop, class Body>
class stoppable_tiles {
 public:
  stoppable_tiles(const Stop& stop, Body& body) noexcept : stop_(stop), body_(body) {}

  bool operator()(const block<D>& tile) {
    if (stop_.stop_requested()) return false;
    run_tile(body_, tile);
    // Relaxed: the sum is read after the join.
    done_.fetch_add(tile.size(), std::memory_order_relaxed);
    return true;
  }
  [[nodiscard]] std::size_t done() const noexcept { return done_.load(std::memory_order_relaxed); }

 private:
  const Stop& stop_;
  Body& body_;
  std::atomic<std::size_t> done_{0};
};

template <std::size_t D, class Body, class Stop>
void for_block(const block<D>& cells, Body& body, const stopped_by<Stop>& by) {
  for (std::size_t d = 0; d < D; ++d) {
    if (cells.last[d] < cells.first[d])
      throw_bad_range("heist::block", endpoint_of(cells.first[d]), endpoint_of(cells.last[d]));
  }
  if (cells.size() == 0) return;
  if constexpr (std::is_same_v<Stop, never_stops>) {
    const auto every_tile = [&body](const block<D>& tile) { run_tile(body, tile); };
    on_a_worker([&](unsigned workers) {
      block_loop<D, decltype(every_tile)>(every_tile, workers).run(cells);
    });
  } else {
    using tiles = stoppable_tiles<D, Stop, Body>;
    tiles asking(*by.stop, body);
    on_a_worker([&](unsigned workers) {
      // A single worker must cut the block too, or it would not ask again.
      block_loop<D, tiles>(asking, workers < 2 ? 2 : workers).run(cells);
    });
    if (asking.done() != cells.size()) throw_cancelled(asking.done(), cells.size());
  }
}

}  // namespace detail

}  // namespace heist::inline v0
