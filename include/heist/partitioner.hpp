// Partitioners: which worker runs which iterations of a loop.
//
//     heist::parallel_for(0, n, body, heist::static_blocks{});
//     heist::semi_static balance;                                  // outlives the rounds
//     for (...) heist::parallel_for(particles, move, balance);
//
// All partitioners but on_demand deal the iterations out to as many parts as the pool has workers.
// Any free worker takes a part, so a busy worker delays nothing.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "heist/detail/export.hpp"
#include "heist/detail/one_at_a_time.hpp"

namespace heist::inline v0 {

// A partitioner has run(n, work, workers), which is called on a worker of a pool that has `workers`
// workers. It must call work(first, last) once for each of some chunks that make up [0, n), n > 0,
// and return when all calls have returned. Several workers may call work at once. The type of work
// depends on the loop, so run is usually a template; the concept tries it with a plain function.
template <class P>
concept partitioner = requires(P& p, std::size_t n, void (&work)(std::size_t, std::size_t),
                               unsigned workers) { p.run(n, work, workers); };

// Splits the remaining iterations when another worker asks for work. The default, for every loop of
// which nothing particular is known.
struct on_demand {
  // Calls work(first, last) for chunks of [0, n): see partitioner.
  template <class Work>
  void run(std::size_t n, const Work& work, unsigned workers) const;
};

// One block of neighbouring iterations for each worker. For iterations of equal cost on a machine
// that does nothing else, or as a baseline: it has the fewest forks, each block is one plain loop,
// and nothing balances an uneven load.
struct static_blocks {
  // Calls work(first, last) for chunks of [0, n): see partitioner.
  template <class Work>
  void run(std::size_t n, const Work& work, unsigned workers) const;
};

// One block of neighbouring iterations for each worker, cut so that each has the same part of the
// costs that the program predicts. For iterations whose costs differ and are known before the loop
// (rows whose number of entries is known, cells with so many particles): as cheap as static_blocks,
// but for a pass over the costs.
struct weighted_blocks {
  // A number for each iteration, in any unit. Must outlive the loop.
  std::span<const double> costs;

  // Calls work(first, last) for chunks of [0, n): see partitioner. Throws usage_error unless there
  // are n costs, each finite and at least 0; std::bad_alloc.
  template <class Work>
  void run(std::size_t n, const Work& work, unsigned workers) const;

 private:
  // Where the blocks begin, and n.
  [[nodiscard]] HEIST_API std::vector<std::size_t> bounds(std::size_t n, unsigned workers) const;
};

// Worker i takes the chunks i, i + P, i + 2 P and so on. For costs that change slowly along the
// range (rows of an image): each worker gets some of every cost, and no counter is needed. chunk:
// iterations that stay together, at least 1.
struct interleaved {
  std::size_t chunk = 1;  // iterations

  // Calls work(first, last) for chunks of [0, n): see partitioner.
  template <class Work>
  void run(std::size_t n, const Work& work, unsigned workers) const;
};

// A shared counter hands out the next chunk to any free worker. For few, expensive iterations of
// unequal cost; for cheap ones the counter would take most of the time. chunk: iterations that are
// taken at once, at least 1.
struct dynamic {
  std::size_t chunk = 1;  // iterations

  // Calls work(first, last) for chunks of [0, n): see partitioner.
  template <class Work>
  void run(std::size_t n, const Work& work, unsigned workers) const;
};

// The same with chunks that shrink: each is one worker's share of half of the remaining iterations.
// For many iterations of unequal cost where on_demand isn't wanted, for instance because chunks
// must not depend on the clock. chunk: the least number of iterations, at least 1. Source: guided
// self-scheduling (Polychronopoulos, Kuck, 1987), halved.
struct guided {
  std::size_t chunk = 1;  // iterations

  // Calls work(first, last) for chunks of [0, n): see partitioner.
  template <class Work>
  void run(std::size_t n, const Work& work, unsigned workers) const;
};

// Blocks of equal cost: every `rounds`-th loop is measured, and the next ones are cut accordingly.
// For loops that run again and again over data whose costs drift slowly (particles that move):
// between the measurements it is as cheap as static_blocks. The object is passed to each loop, one
// at a time (usage_error otherwise). With another number of iterations or workers it starts anew,
// and allocates then.
class semi_static {
 public:
  // rounds: loops from one measurement to the next, at least 1. The first loop is measured.
  explicit semi_static(unsigned rounds = 8) noexcept : rounds_(rounds < 1 ? 1 : rounds) {}

  // Calls work(first, last) for chunks of [0, n): see partitioner.
  template <class Work>
  void run(std::size_t n, const Work& work, unsigned workers);

  // Where the blocks begin, and where the last one ends, for tests and reports. Empty before the
  // first loop.
  [[nodiscard]] HEIST_API std::vector<std::size_t> bounds() const;

 private:
  static constexpr std::size_t cells_per_worker = 64;  // a block is cut no finer

  [[nodiscard]] std::size_t cell(std::size_t c) const noexcept;
  HEIST_API void start(std::size_t n, unsigned workers);
  HEIST_API void assign();

  detail::one_at_a_time lock_;
  const unsigned rounds_;
  unsigned round_ = 0;
  std::size_t n_ = 0;
  std::vector<std::uint64_t> costs_;  // of each cell, in ticks
  std::vector<std::size_t> bounds_;   // in cells; one more than workers
};

// Runs the same iterations on the same worker as in the last loop, as far as all workers stay busy.
// For loops that run again and again over data that fits into the workers' caches. The range is cut
// into 8 blocks for each worker. A worker that has done its own blocks takes blocks of others, and
// keeps them for the next loop. The object is passed to each loop, one at a time (usage_error
// otherwise). With another number of iterations or workers it starts anew, and allocates then.
class affinity {
 public:
  affinity() = default;

  // Calls work(first, last) for chunks of [0, n): see partitioner.
  template <class Work>
  void run(std::size_t n, const Work& work, unsigned workers);

  // For each block, the worker that ran it last. Empty before the first loop.
  [[nodiscard]] HEIST_API std::vector<int> homes() const;

 private:
  static constexpr std::size_t blocks_per_worker = 8;

  [[nodiscard]] std::size_t bound(std::size_t b) const noexcept;
  HEIST_API void start(std::size_t n, unsigned workers);
  // Takes a block that nobody has taken: the first of the caller's own, else the last of all.
  // Returns the number of blocks if there is none.
  HEIST_API std::size_t take_block() noexcept;

  detail::one_at_a_time lock_;
  unsigned workers_ = 0;
  std::size_t n_ = 0;
  // Both are relaxed: homes are hints, and a block that is taken belongs to one worker alone.
  std::vector<std::atomic<int>> homes_;
  std::vector<std::atomic<bool>> taken_;
};

}  // namespace heist::inline v0

#include "heist/detail/partitioner_impl.hpp"
