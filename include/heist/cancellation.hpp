// Stopping what runs: a std::stop_token, a deadline, or any other stop condition comes before the
// other arguments.
//
//     std::stop_source stop;  // some button calls stop.request_stop()
//     heist::parallel_for(stop.get_token(), 0, n, [&](std::size_t i) { ... });
//     heist::scope(stop.get_token(), [&](heist::task_scope& s) { s.spawn(f); ... });
//     double sum = heist::reduce(heist::deadline(10ms), v);
//
// These take one: parallel_for, for_each, transform, copy, fill, generate, reduce,
// transform_reduce, count, count_if, find, find_if, find_any, any_of, all_of, none_of, scope,
// fork_join, submit and future::then. A pool comes before it. The run() of graphs and pipelines
// takes one too, or a std::stop_token among its options, and what it returns says what was done.
//
// The condition is asked between chunks of a few microseconds and before a function is called; a
// chunk or function that has begun runs to its end. The condition belongs to this one construct:
// what a body calls is stopped only if the body passes the condition on. A construct that was
// stopped before everything was begun throws cancelled, which says how much was done; one that had
// begun everything returns as always. Without a stop condition nothing of this has a cost.
//
// Scans, partitions, sorts, merges, histograms, copy_if, min_element and max_element take none:
// half of such a result is of no use, and elements may be between two places. Ask the condition
// between two such calls instead.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "heist/detail/alarm.hpp"
#include "heist/detail/chrono.hpp"
#include "heist/detail/stopping.hpp"
#include "heist/error.hpp"

namespace heist::inline v0 {

class pool;

// Thrown by a construct that was stopped before all of it was begun. done() of total() were done,
// and none of the others was begun. They count iterations, elements, cells, or functions, depending
// on the construct.
class [[gnu::visibility("default")]] cancelled : public error {
 public:
  // Its message is "stopped after DONE of TOTAL".
  cancelled(std::uint64_t done, std::uint64_t total)
      : error("stopped after " + std::to_string(done) + " of " + std::to_string(total)),
        done_(done),
        total_(total) {}

  // How many iterations, elements, cells or functions were done, and how many there were in total.
  [[nodiscard]] std::uint64_t done() const noexcept { return done_; }
  [[nodiscard]] std::uint64_t total() const noexcept { return total_; }

 private:
  std::uint64_t done_;
  std::uint64_t total_;
};

// A stop condition that becomes true at a point in time. Asking reads the clock: about 20 ns for
// each chunk.
class deadline {
 public:
  using clock = std::chrono::steady_clock;  // its times don't jump when the system's clock is set

  // Stops at that time.
  explicit deadline(clock::time_point at) noexcept : at_(at) {}
  // `after` counts from now on; a time that the clock can't represent means never.
  template <class Rep, class Period>
  explicit deadline(std::chrono::duration<Rep, Period> after) noexcept
      : at_(detail::due_in(after)) {}

  // The time at which it stops.
  [[nodiscard]] clock::time_point at() const noexcept { return at_; }
  // Whether that time has come. Reads the clock; thread-safe.
  [[nodiscard]] bool stop_requested() const noexcept { return clock::now() >= at_; }

 private:
  clock::time_point at_;
};

// Stops as soon as one of two conditions does. Both must live as long as this.
template <stop_condition A, stop_condition B>
class either {
 public:
  // Stops when a or b does.
  either(const A& a, const B& b) noexcept : a_(a), b_(b) {}
  // Asks a, and b if a says no.
  [[nodiscard]] bool stop_requested() const noexcept {
    return a_.stop_requested() || b_.stop_requested();
  }

 private:
  const A& a_;
  const B& b_;
};

// fork_join under a stop condition: after a stop no function is begun, and cancelled is thrown
// unless a function further left has thrown something else. done() and total() count functions.
template <stop_condition Stop, class... F>
requires(sizeof...(F) >= 2 && (std::is_invocable_v<F> && ...))
auto fork_join(const Stop& stop, F&&... f);
// The same in the pool p.
template <stop_condition Stop, class... F>
requires(sizeof...(F) >= 2 && (std::is_invocable_v<F> && ...))
auto fork_join(pool& p, Stop stop, F&&... f);

}  // namespace heist::inline v0

#include "heist/detail/cancellation_impl.hpp"
