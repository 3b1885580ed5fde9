// How the sizes of a pool's deques change over time: an observer that samples them, and the
// probabilities of changes in a step of time, as the literature on the management of deques models
// them.
//
//     heist::deque_observer observer(pool);
//     pool.run(program);
//     const heist::deque_series series = observer.stop();
//     for (const heist::size_changes& deque : changes_of(series, 100)) use(deque.probability);
//
// `heist run matmul --deque-series` prints them as a table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "heist/detail/export.hpp"
#include "heist/pool.hpp"

namespace heist::inline v0 {

// What an observer has seen. Times are in ticks of the processor's clock (x86-64: the time-stamp
// counter; AArch64: the counter of the architecture; else nanoseconds), ascending.
struct deque_series {
  // When the samples were taken.
  std::vector<std::uint64_t> times;
  // sizes[d][i]: how many jobs deque d held at times[i]. Deque d is that of worker d, or of the
  // thread from outside that works in its place; in a pool with a shared queue there is one.
  std::vector<std::vector<std::uint32_t>> sizes;
  double ticks_per_second = 0;  // as it was measured meanwhile
  bool is_cut = false;          // the memory for samples was full before stop()

  // The middle one of the distances between two samples; 0 of fewer than two.
  [[nodiscard]] HEIST_API std::uint64_t median_distance() const;
};

// Samples the sizes of all deques of a pool, as fast as it can, from a thread of its own: give it a
// processor. It reads what the workers write and writes nothing itself (except a pin on the deque
// of a thread from outside), so a fork costs no more instructions; but each look takes the cache
// line of a deque's owner away from it.
//
// What a sample misses. Head and tail are read one after the other, so a size is off by what was
// pushed, popped and stolen in between. What is pushed and popped again between two samples isn't
// seen. While the system runs another thread in the observer's place, there are no samples.
//
// The pool must outlive it. Used by one thread at a time.
class deque_observer {
 public:
  // How many samples there is room for, unless the caller says otherwise.
  static constexpr std::size_t default_samples = std::size_t{1} << 20;

  // Begins. Memory: 8 bytes, and 4 for each deque, a sample. Throws resource_error if the system
  // refuses the thread, std::bad_alloc.
  HEIST_API explicit deque_observer(pool& observed, std::size_t max_samples = default_samples);
  HEIST_API ~deque_observer();
  deque_observer(const deque_observer&) = delete;
  deque_observer& operator=(const deque_observer&) = delete;

  // Ends, and returns the samples; a second call returns none.
  [[nodiscard]] HEIST_API deque_series stop();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

// One deque's changes in steps of time.
struct size_changes {
  // Of a change by -2, -1, 0, 1 and 2; and of all that is less or more.
  std::array<double, 5> probability{};
  double less = 0, more = 0;
  std::uint64_t steps = 0;          // all of these are shares of so many; 0: nothing is known
  double mean_size = 0;             // over the samples
  std::uint32_t greatest_size = 0;  // of all samples
  // The share of the time between the first and the last sample that the steps cover. The rest are
  // pauses of the observer, of more than longest_pause times the median distance.
  static constexpr unsigned longest_pause = 16;
  double covered = 0;  // as said above
};

// Interpolates each series linearly and reads it off in steps of so many ticks. A change of u in a
// step, which isn't a whole number, counts as |u|/l changes by l, away from 0 the next whole number
// from u, and as none for the rest; so the mean change is that of the series. Throws usage_error
// for a step that isn't positive, std::bad_alloc. (A work-stealing scheduler with multi-task
// steals, section 4.1, has the method, with a step that is no longer than the distance between two
// samples.)
[[nodiscard]] HEIST_API std::vector<size_changes> changes_of(const deque_series& series,
                                                             double step_ticks);

}  // namespace heist::inline v0
