// A job of a job_system: its memory, who may touch it, and when it is free again.
//
//   word             number and flags. The number is odd while the memory belongs to a job, even
//                    while it is free. The thread that owns the ring makes it odd (release;
//                    partner: whoever has the name); whoever brings `unfinished` to 0, or takes
//                    the exception, makes it even (release; partner: the acquire in take()). A
//                    name holds the number.
//   unfinished       the function, and each child. Only the job's own function, its children and
//                    whoever has not run it yet may raise it, so it can't rise from 0.
//   waiters, thrown, ends_specially
//                    guarded by lock_of(record).
// The rest is written before the job is run, and constant from then on.
//
// Invariants.
//   B1  A job ends after its children: they count in `unfinished`. So the parents that a job names
//       still exist.
//   B2  A waiter sets `waited` by an exchange that needs the number, under the lock, and lists
//       itself under the same lock. Whoever ends the job exchanges the word and then, if it found
//       `waited`, takes the list under the lock. So no waiter is left behind. The list may hold
//       waiters of the memory's next job: they look again.
//   B3  A job with an exception and no parent stays, with `failed`, until somebody has waited for
//       it.
//   B4  One on the heap is freed by whoever ends it, if it has a parent. Without a parent it stays
//       like one with an exception, and its only waiter frees it: that one doesn't return before
//       whoever ended the job has taken the list (B2), and nobody touches the job after that.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>

#include "heist/combinable.hpp"
#include "heist/detail/root.hpp"
#include "heist/detail/waiters.hpp"
#include "heist/job_system.hpp"

namespace heist::inline v0::detail {

struct alignas(job_system::job_bytes) job_record final : root {
  static constexpr std::uint64_t waited = 1;
  static constexpr std::uint64_t failed = 2;
  static constexpr unsigned number_shift = 2;

  job_record() noexcept : root(&run_entered) { is_awaited = false; }

  static std::uint64_t number_of(std::uint64_t word) noexcept { return word >> number_shift; }
  static bool is_free(std::uint64_t word) noexcept { return number_of(word) % 2 == 0; }

  // Acquire: partner is the exchange in end_part(); what the job did is seen.
  [[nodiscard]] bool has_ended(std::uint64_t number) const noexcept {
    const std::uint64_t w = word.load(std::memory_order_acquire);
    return number_of(w) != number || (w & failed) != 0;
  }
  // This job, or one below `above`. The caller keeps this job from ending.
  [[nodiscard]] bool belongs_to(const job_record* above) const noexcept {
    const job_record* r = this;
    while (r != nullptr && r != above) r = r->parent;
    return r != nullptr;
  }

  // For the owner of the ring. False: in use.
  bool take() noexcept {
    const std::uint64_t w = word.load(std::memory_order_acquire);
    if (!is_free(w)) return false;
    started.store(false, std::memory_order_relaxed);  // the name is told afterwards
    unfinished.store(1, std::memory_order_relaxed);
    word.store((number_of(w) + 1) << number_shift, std::memory_order_release);
    return true;
  }
  [[nodiscard]] job_system::job name() noexcept {
    // Relaxed: the job is the caller's, and doesn't end meanwhile.
    return {this, number_of(word.load(std::memory_order_relaxed))};
  }
  static job_record* record_of(job_system::job j) noexcept { return j.record_; }

  // Calls the function and ends the function's part.
  void execute() noexcept;
  // The function, or a child, has ended.
  void end_part() noexcept;
  void keep(std::exception_ptr exception) noexcept;
  // Suspends the caller if the job hasn't ended; may return early (B2).
  void wait_once(std::uint64_t number) noexcept;
  // For a job that has ended, once.
  std::exception_ptr take_thrown(std::uint64_t number) noexcept;

  // A job like one of a ring that has been taken. nullptr: there is no memory.
  static job_record* on_heap() noexcept {
    auto* const r = new (std::nothrow) job_record;
    if (r == nullptr) return nullptr;
    r->is_on_heap = r->ends_specially = true;
    r->take();
    return r;
  }

  static void run_entered(root& r) noexcept { static_cast<job_record&>(r).execute(); }

  std::atomic<std::uint64_t> word{0};
  std::atomic<std::uint32_t> unfinished{0};
  std::atomic<bool> started{false};  // relaxed: for refusals, and for the destructor
  bool is_on_heap = false;           // constant
  bool ends_specially = false;       // there is an exception, or it is on the heap
  job_record* parent = nullptr;
  void (*call)(void* data, job_system::job self) = nullptr;
  std::exception_ptr thrown;
  waiter* waiters = nullptr;
  alignas(16) std::byte data[job_system::data_bytes];
};
static_assert(sizeof(job_record) == job_system::job_bytes);

// The records from which one thread makes its jobs.
struct job_ring {
  explicit job_ring(std::size_t n) : size(n), records(new job_record[n]) {}

  // nullptr: all are in use.
  job_record* take() noexcept {
    for (std::size_t i = 0; i < size; ++i) {
      job_record& r = records[next];
      next = next + 1 == size ? 0 : next + 1;
      if (r.take()) return &r;
    }
    return nullptr;
  }

  const std::size_t size;
  const std::unique_ptr<job_record[]> records;
  std::size_t next = 0;  // used by the ring's thread only
};

class job_rings {
 public:
  explicit job_rings(std::size_t size) : per_thread([size] { return job_ring(size); }) {}

  combinable<job_ring> per_thread;
};

}  // namespace heist::inline v0::detail
