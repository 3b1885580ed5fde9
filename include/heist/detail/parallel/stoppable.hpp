// Loops that can be stopped: the same loops, over work that asks the stop condition first.
//
// The condition is asked before each chunk, and chunks are cut to a few microseconds (pace),
// however long the loop's own chunks are. A chunk that has begun runs to its end, so the count of
// what was done is exact. Code for this is generated only where a stop condition is given.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "heist/detail/parallel/leftmost_place.hpp"
#include "heist/detail/parallel/pace.hpp"
#include "heist/detail/parallel/split_loop.hpp"
#include "heist/detail/stopping.hpp"

namespace heist::inline v0::detail {

// Work over [0, n), as split_loop knows it.
template <class Stop, class Work>
class stoppable_work {
 public:
  stoppable_work(const Stop& stop, const Work& work) noexcept : stop_(stop), work_(work) {}

  bool operator()(std::size_t first, std::size_t last) const {
    while (first != last) {
      if (stop_.stop_requested()) {
        stopped_.note(first);
        return false;
      }
      std::size_t chunk = pace_.chunk() == 0 ? 1 : pace_.chunk();
      if (last - first < chunk) chunk = last - first;
      const std::uint64_t before = ticks();
      bool goes_on = true;
      if constexpr (std::is_void_v<std::invoke_result_t<const Work&, std::size_t, std::size_t>>)
        work_(first, first + chunk);
      else
        goes_on = work_(first, first + chunk);
      // Relaxed: the sum is read after the join.
      done_.fetch_add(chunk, std::memory_order_relaxed);
      if (!goes_on) return false;
      pace_.remember(pace::after(chunk, ticks() - before));
      first += chunk;
    }
    return true;
  }

  [[nodiscard]] std::size_t done() const noexcept { return done_.load(std::memory_order_relaxed); }
  // The leftmost place where it was stopped.
  [[nodiscard]] const leftmost_place& stopped() const noexcept { return stopped_; }

 private:
  const Stop& stop_;
  const Work& work_;
  mutable pace pace_;
  mutable leftmost_place stopped_;
  alignas(64) mutable std::atomic<std::size_t> done_{0};
};

// run(work) runs the loop over [0, n). Throws cancelled if it was stopped before everything that
// matters was done, which is what lies to the left of end(). end() is called after the loop.
template <class Stop, class Work, class Run, class End>
void run_stoppable(std::size_t n, const stopped_by<Stop>& by, const Work& work, const Run& run,
                   const End& end) {
  if constexpr (std::is_same_v<Stop, never_stops>) {
    run(work);
  } else {
    const stoppable_work<Stop, Work> asking(*by.stop, work);
    run(asking);
    if (asking.stopped().is_left_of(end())) throw_cancelled(asking.done(), n);
  }
}
template <class Stop, class Work, class Run>
void run_stoppable(std::size_t n, const stopped_by<Stop>& by, const Work& work, const Run& run) {
  run_stoppable(n, by, work, run, [n] { return n; });
}

// A loop over [0, n) for one worker of the caller's pool.
template <class Stop, class Work>
void run_alone(std::size_t n, const stopped_by<Stop>& by, const Work& work) {
  if (n == 0) return;
  run_stoppable(n, by, work, [n](const auto& asking) {
    if constexpr (HEIST_RACE)
      asking(0, n);
    else
      on_a_worker([&](unsigned) { split_on_demand(n, asking, 1); });
  });
}

// The same for a tree (leaf_tree): its leaves ask, and throw this exception, which the tree passes
// on like any other.
struct [[gnu::visibility("default")]] stop_signal {};

template <class Stop, class Operations>
class stoppable_tree {
 public:
  stoppable_tree(const Stop& stop, const Operations& operations) noexcept
      : stop_(stop), operations_(operations) {}

  auto leaf(std::size_t i) const {
    if (stop_.stop_requested()) throw stop_signal{};
    auto value = operations_.leaf(i);
    done_.fetch_add(operations_.cut.size_of(i), std::memory_order_relaxed);  // as in stoppable_work
    return value;
  }
  template <class T>
  auto join(T&& left, T&& right) const {
    return operations_.join(static_cast<T&&>(left), static_cast<T&&>(right));
  }

  [[nodiscard]] std::size_t done() const noexcept { return done_.load(std::memory_order_relaxed); }

 private:
  const Stop& stop_;
  const Operations& operations_;
  alignas(64) mutable std::atomic<std::size_t> done_{0};
};

// run(operations) runs the tree, whose leaves are those of operations.cut.
template <class Stop, class Operations, class Run>
auto run_stoppable_tree(const stopped_by<Stop>& by, const Operations& operations, const Run& run) {
  if constexpr (std::is_same_v<Stop, never_stops>) {
    return run(operations);
  } else {
    const stoppable_tree<Stop, Operations> asking(*by.stop, operations);
    try {
      return run(asking);
    } catch (const stop_signal&) {
    }
    throw_cancelled(asking.done(), operations.cut.elements);
  }
}

}  // namespace heist::inline v0::detail
