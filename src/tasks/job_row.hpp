// A row of jobs, which lie one after the other in a ring and share an entry of a deque.
//
// The owner adds jobs to the row that is its newest entry, and takes them off its end, while a
// thief may take the entry. A split deque keeps such an entry private, and the owner changes it as
// it likes. On any other deque thieves see it at once, and the owner changes it without a fence
// nevertheless: the one that has taken the entry makes all others execute a barrier, which costs a
// few microseconds, and only the newest entry of a worker is ever open.
//
// Roles. The owner: the function that has pushed the row. The taker: the one that runs the entry
// after it was taken off the deque, of which there is at most one.
//   oldest_    constant
//   length_    how many jobs there are; the owner's. Release: partner is the taker's load; what is
//              in the jobs that were added.
//   is_open_   whether the owner may still change the length; it goes from true to false. Release:
//              partner is the taker's load; the last length.
//   claim_     none; `taken`, by the taker; and then how many of the jobs are the taker's. What
//              comes first counts, the taker's exchange or the owner's.
//
// Invariants.
//   W1  A job is run by the owner if it has taken it off, and by the taker if it is below the
//       number in claim_. Where the row was closed before it was taken, that is its length.
//   W2  The owner stores a length and then looks at claim_, with a light barrier in between; the
//       taker claims the row and then looks at the length, with a heavy one. So either the owner
//       sees the claim, or the taker sees that length: if the owner sees no claim, both agree.
//   W3  An owner that sees a claim after it has stored a length lets the exchange decide. The taker
//       has seen that length, or the one before: with either each job has one of the two.
//   W4  The owner looks at a row again in this way only until it closes it or sees a claim. What it
//       pops is its own without a claim.
//
// The Seam is that of heist/deque/atomics.hpp: tests/model runs this very code on other atomics.
#pragma once

#include <atomic>
#include <cstdint>

#include "heist/deque/atomics.hpp"

namespace heist::inline v0::detail {

template <class Job, class Seam = deque::std_atomics>
class basic_job_row {
 public:
  // is_open: see open(); false for a split deque.
  basic_job_row(Job* oldest, std::uint64_t length, bool is_open) noexcept
      : oldest_(oldest), length_(length), is_open_(is_open) {}

  [[nodiscard]] Job* oldest() const noexcept { return oldest_; }

  // ---- For the owner. Relaxed loads: only the owner writes the two.
  [[nodiscard]] std::uint64_t length() const noexcept {
    return length_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_open() const noexcept { return is_open_.load(std::memory_order_relaxed); }
  // Something else is pushed on top of it.
  void close() noexcept { is_open_.store(false, std::memory_order_release); }

  // While nobody else looks at it: the entry of a split deque is private, or all is decided.
  void set_length(std::uint64_t to) noexcept { length_.store(to, std::memory_order_relaxed); }

  // While it is open: adds the next job. False: the row has been taken without it.
  [[nodiscard]] bool add() noexcept {
    const std::uint64_t more = length() + 1;
    if (change_to(more) >= more) [[likely]]
      return true;
    set_length(more - 1);  // for take(): the job is not in the row
    return false;
  }
  // While it is open: takes its newest job off, but not the last one, which is for a pop. Nullptr:
  // that is the only one, or the row has been taken with it.
  [[nodiscard]] Job* take() noexcept {
    const std::uint64_t rest = length() - 1;
    if (rest == 0) return nullptr;
    return change_to(rest) <= rest ? oldest_ + rest : nullptr;
  }

  // ---- For the taker, once: how many jobs it has. heavy_barrier() makes the owner's thread, and
  // the caller's, execute a full barrier.
  template <class HeavyBarrier>
  [[nodiscard]] std::uint64_t claim(const HeavyBarrier& heavy_barrier) noexcept {
    if (!is_open_.load(std::memory_order_acquire))
      return length_.load(std::memory_order_relaxed);  // that of close(), or the push
    claim_.store(taken, std::memory_order_relaxed);    // the barrier orders it
    heavy_barrier();
    return decide(length_.load(std::memory_order_acquire));
  }

 private:
  static constexpr std::uint64_t none = 0, taken = 1, first_number = 2;

  // How many jobs of the row are below the owner's new length, or the taker's.
  std::uint64_t change_to(std::uint64_t length) noexcept {
    length_.store(length, std::memory_order_release);
    Seam::light_barrier();  // W2
    // Relaxed: the exchange acquires what it needs.
    if (claim_.load(std::memory_order_relaxed) == none) [[likely]]
      return length;
    return decide(length);
  }

  // Acquire and release: what the one that decides has stored before is seen by the other.
  std::uint64_t decide(std::uint64_t length) noexcept {
    std::uint64_t seen = taken;
    if (claim_.compare_exchange_strong(seen, first_number + length, std::memory_order_acq_rel,
                                       std::memory_order_acquire))
      return length;
    return seen - first_number;
  }

  Job* const oldest_;
  typename Seam::template atomic<std::uint64_t> length_;
  typename Seam::template atomic<std::uint64_t> claim_{none};
  typename Seam::template atomic<bool> is_open_;
};

}  // namespace heist::inline v0::detail
