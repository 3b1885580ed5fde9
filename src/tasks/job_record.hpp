// A job of a job_system: its memory, who may touch it, and when it is free again.
//
//   word             number and flags. The number is odd while the memory belongs to a job, even
//                    while it is free. The thread that owns the ring makes it odd (release;
//                    partner: the one that has the name); the one that brings `unfinished` to 0, or
//                    takes the exception, makes it even (release; partner: the acquire in take()).
//                    A name holds the number.
//   unfinished       its parts that haven't ended: the function, and each child. Only the job's own
//                    function, its children and the one that has not run it yet may raise it. So it
//                    can't rise while all parts that it still counts have ended and are one
//                    thread's to take off: that thread needs no atomic operation on it.
//   waiters, thrown, ends_specially
//                    guarded by lock_of(record).
// The rest is written before the job is run, and constant from then on.
//
// Invariants.
//   B1  A job ends after its children: they count in `unfinished`. So the parents that a job names
//       still exist.
//   B2  A waiter sets `waited` by an exchange that needs the number, under the lock, and lists
//       itself under the same lock. The one that ends the job exchanges the word and then, if it
//       found `waited`, takes the list under the lock. So no waiter is left behind. The list may
//       hold waiters of the memory's next job: they look again.
//   B3  A job with an exception and no parent stays, with `failed`, until somebody has waited for
//       it.
//   B4  One on the heap is freed by the one that ends it, if it has a parent. Without a parent it
//       stays like one with an exception, and its only waiter frees it: that one doesn't return
//       before the one that ended the job has taken the list (B2), and nobody touches the job after
//       that.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>

#include "heist/combinable.hpp"
#include "heist/detail/invariant.hpp"
#include "heist/detail/local.hpp"
#include "heist/detail/root.hpp"
#include "heist/detail/waiters.hpp"
#include "heist/job_system.hpp"
#include "platform/cpu.hpp"

namespace heist::inline v0::detail {

struct job_record : root {
  static constexpr std::uint64_t waited = 1;
  static constexpr std::uint64_t failed = 2;
  static constexpr unsigned number_shift = 2;
  static constexpr std::size_t data_offset = job_system::data_offset;

  job_record() noexcept : root(&run_entered) { is_awaited = false; }

  static std::uint64_t number_of(std::uint64_t word) noexcept { return word >> number_shift; }
  static bool is_free(std::uint64_t word) noexcept { return number_of(word) % 2 == 0; }

  // Of a job, not of its memory: for the race detector.
  static const void* key_of(const job_record& r, std::uint64_t number) noexcept {
    return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(&r) ^
                                         number * 0x9E3779B97F4A7C15u);
  }
  // Relaxed: the job hasn't ended.
  static const void* key_of(const job_record& r) noexcept {
    return key_of(r, number_of(r.word.load(std::memory_order_relaxed)));
  }
  // Acquire: partner is the exchange in end_part(); what the job did is seen.
  [[nodiscard]] bool has_ended(std::uint64_t number) const noexcept {
    const std::uint64_t w = word.load(std::memory_order_acquire);
    if (w == number << number_shift) [[likely]]
      return false;
    return number_of(w) != number || (w & failed) != 0;
  }
  // This job, or one below `above`. The caller keeps this job from ending.
  [[nodiscard]] bool belongs_to(const job_record* above) const noexcept {
    const job_record* r = this;
    while (r != nullptr && r != above) r = r->parent;
    return r != nullptr;
  }

  // For the owner of the ring. The job's number; 0: in use.
  [[nodiscard]] std::uint64_t take() noexcept {
    const std::uint64_t w = word.load(std::memory_order_acquire);
    if (!is_free(w)) [[unlikely]]
      return 0;
    const std::uint64_t number = number_of(w) + 1;
    started.store(false, std::memory_order_relaxed);  // the name is told afterwards
    unfinished.store(1, std::memory_order_relaxed);
    word.store(number << number_shift, std::memory_order_release);
    return number;
  }
  [[nodiscard]] job_system::job name_of(std::uint64_t number) noexcept { return {this, number}; }
  // For the one that keeps it from ending. Relaxed: it doesn't change meanwhile.
  [[nodiscard]] std::uint64_t number() const noexcept {
    return number_of(word.load(std::memory_order_relaxed));
  }
  [[nodiscard]] job_system::job name() noexcept { return name_of(number()); }
  static job_record* record_of(job_system::job j) noexcept { return j.record_; }

  // Both of its cache lines will be written or read soon, here.
  void fetch() const noexcept {
    platform::fetch_to_write(&word);
    platform::fetch_to_write(data);
  }

  // For the one that has taken it.
  void prepare(job_record* above, void (*f)(void*, job_system::job)) noexcept {
    parent = above;
    call = f;
    // Relaxed: it isn't 0, as the parent hasn't ended; and what the child does comes after its run.
    if (above != nullptr) above->unfinished.fetch_add(1, std::memory_order_relaxed);
  }

  // So many parts have ended. True: the job has none left, and the caller has to call end().
  [[nodiscard]] bool take_off(std::uint32_t parts) noexcept {
    // Acquire: what the other parts did. All that are left are the caller's: see `unfinished`.
    if (unfinished.load(std::memory_order_acquire) == parts) return true;
    // Release: what was done; acquire: what the others did, for the one that sees the end.
    const auto before = unfinished.fetch_sub(parts, std::memory_order_acq_rel);
    HEIST_INVARIANT("job_record.hpp B1", before >= parts);
    return before == parts;
  }
  // The job with that number has ended. Its parent, if it has one, has lost a part by that, for the
  // caller to take off.
  void end(std::uint64_t number) noexcept {
    if (ends_specially) [[unlikely]]
      end_specially(number);
    else
      end_as((number + 1) << number_shift);
  }
  // Takes off the parts of r and of all that end by that.
  static void take_off_all(job_record* r, std::uint32_t parts) noexcept {
    while (r != nullptr && r->take_off(parts)) {
      job_record* const above = r->parent;
      r->end(r->number());
      r = above;
      parts = 1;
    }
  }

  void keep(std::exception_ptr exception) noexcept;
  // Whether there may be something for take_thrown().
  [[nodiscard]] bool has_thrown(std::uint64_t number) const noexcept {
    return word.load(std::memory_order_acquire) == (number << number_shift | failed);
  }
  // Suspends the caller if the job hasn't ended; may return early (B2).
  void wait_once(std::uint64_t number) noexcept;
  // For a job that has ended, once.
  std::exception_ptr take_thrown(std::uint64_t number) noexcept;

  // A job like one of a ring that has been taken. nullptr: there is no memory.
  static job_record* on_heap() noexcept {
    auto* const r = new (std::nothrow) job_record;
    if (r == nullptr) return nullptr;
    r->is_on_heap = r->ends_specially = true;
    static_cast<void>(r->take());
    return r;
  }

  static void run_entered(root& r) noexcept;

 private:
  void end_specially(std::uint64_t number) noexcept;
  void end_as(std::uint64_t after) noexcept {
    // Release: the result; partners: has_ended(), take(). Acquire: B2.
    if ((word.exchange(after, std::memory_order_acq_rel) & waited) != 0) [[unlikely]]
      end_waits();
  }
  void end_waits() noexcept;

 public:
  std::atomic<std::uint64_t> word{0};
  std::atomic<std::uint32_t> unfinished{0};
  // Relaxed: for refusals, and for the destructor. Of two calls of run() that nothing orders, both
  // may find it unset.
  std::atomic<bool> started{false};
  bool is_on_heap = false;      // constant
  bool ends_specially = false;  // there is an exception, or it is on the heap
  job_record* parent = nullptr;
  void (*call)(void* data, job_system::job self) = nullptr;
  std::exception_ptr thrown;
  waiter* waiters = nullptr;
  alignas(16) std::byte data[job_system::data_bytes];
};
static_assert(sizeof(job_record) == job_system::job_bytes);

// job_system::put writes there. Compilers know the offset, though the type has a base.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
static_assert(offsetof(job_record, data) == job_record::data_offset);
#pragma GCC diagnostic pop

// The records from which one thread makes its jobs, in turn. One that may grow gets as many again
// when, in one turn around the ring, more of them were in use than not: so a job costs a look at
// two records in the mean, however many live, and the ring has less than four times as many as ever
// lived at once, or its first size.
class alignas(64) job_ring {
 public:
  job_ring() noexcept = default;
  job_ring(std::size_t n, bool may_grow) { make(n, may_grow); }
  job_ring(job_ring&& other) noexcept
      : newest_(other.newest_.exchange(nullptr, relaxed)),
        part_(other.part_.get()),
        records_(other.records_.get()),
        size_(other.size_.get()),
        total_(other.total_.get()),
        may_grow_(other.may_grow_.get()) {}
  ~job_ring() {  // nobody uses it any more
    for (part* p = newest_.load(relaxed); p != nullptr;) {
      const std::unique_ptr<part> ends(p);
      p = p->older;
    }
  }

  // Unless it is made: for its thread.
  [[nodiscard]] bool is_made() const noexcept { return part_.get() != nullptr; }
  // With 0 records it stays as it is. Throws std::bad_alloc.
  void make(std::size_t n, bool may_grow) {
    if (n == 0) return;
    may_grow_ = may_grow;
    add(n);
  }

  // The next place, whether it is in use or not; nullptr: the next one is in another part, or the
  // ring isn't made.
  [[nodiscard]] job_record* next() noexcept {
    const std::size_t at = next_.load(relaxed);
    if (at == size_) [[unlikely]]
      return nullptr;
    next_.store(at + 1, relaxed);
    job_record* const r = records_ + at;
    r[records_ahead].fetch();
    return r;
  }
  // A job that has been taken; nullptr: all are in use, and there are no more.
  job_record* take() noexcept {
    for (std::size_t tried = 0; tried < total_; ++tried) {
      job_record* r = next();
      if (r == nullptr) {
        begin_next_part();
        r = next();
      }
      if (r->take() != 0) return r;
      in_use_ = in_use_ + 1;
    }
    if (!grow()) return nullptr;
    job_record* const r = next();
    static_cast<void>(r->take());
    return r;
  }

  // How far the thread has come: more with each job that it makes.
  [[nodiscard]] std::uint64_t progress() const noexcept {
    return (std::uint64_t{parts_begun_.load(relaxed)} << 32U) + next_.load(relaxed);
  }
  template <class F>
  void each(const F& f) {
    // Acquire: partner is the release in add().
    for (const part* p = newest_.load(std::memory_order_acquire); p != nullptr; p = p->older)
      for (std::size_t i = 0; i < p->size; ++i) f(p->places[i]);
  }

 private:
  // How far ahead records are fetched: another thread may have run what was in them.
  static constexpr std::size_t records_ahead = 8;
  // Its own thread writes it.
  static constexpr auto relaxed = std::memory_order_relaxed;

  // A record in two cache lines of its own. The type itself asks for less, since malloc gives that
  // sooner.
  struct alignas(job_system::job_bytes) place : job_record {};
  static_assert(sizeof(place) == sizeof(job_record));

  struct part {
    part(part* before, std::size_t n)
        : older(before), size(n), places(new place[n + records_ahead]) {}
    part* const older;
    const std::size_t size;
    // Those that next() fetches behind the last one are never used.
    const std::unique_ptr<place[]> places;
  };

  void begin(part& p) noexcept {
    part_ = &p;
    records_ = p.places.get();
    size_ = p.size;
    // Relaxed, both: what is created by a job that has ended is seen with its end.
    parts_begun_.store(parts_begun_.load(relaxed) + 1, relaxed);
    next_.store(0, relaxed);
  }
  void add(std::size_t n) {
    auto* const added = new part(newest_.load(relaxed), n);
    newest_.store(added, std::memory_order_release);  // partner: each()
    total_ = total_ + n;
    begin(*added);
  }
  bool grow() noexcept {
    in_use_ = 0;
    if (!may_grow_) return false;
    try {
      add(total_);
    } catch (const std::bad_alloc&) {
      return false;
    }
    return true;
  }
  void begin_next_part() noexcept {
    if (part* const older = part_.get()->older; older != nullptr) return begin(*older);
    if (in_use_ > total_ / 2 && grow()) return;
    in_use_ = 0;
    begin(*newest_.load(relaxed));
  }

  std::atomic<part*> newest_{nullptr};
  std::atomic<std::size_t> next_{0};  // in part_
  std::atomic<std::uint32_t> parts_begun_{0};
  // Used by the ring's thread only.
  local<part*> part_{nullptr};
  local<job_record*> records_{nullptr};  // of part_
  local<std::size_t> size_{0};           // of part_
  local<std::size_t> total_{0};
  local<std::size_t> in_use_{0};  // those found so in this turn around the ring
  local<bool> may_grow_{false};
};

// The rings of all threads that aren't workers of the pool.
class job_rings {
 public:
  // `size`: what a ring has at first.
  job_rings(std::size_t size, bool grow, std::size_t workers)
      : of_workers(new job_ring[workers]),
        worker_count(workers),
        per_ring(size),
        may_grow(grow),
        of_others([=] { return job_ring(size, grow); }) {}

  template <class F>
  void each_ring(const F& f) {
    for (std::size_t i = 0; i < worker_count; ++i) f(of_workers[i]);
    of_others.combine_each(f);
  }

  const std::unique_ptr<job_ring[]> of_workers;
  const std::size_t worker_count;
  const std::size_t per_ring;
  const bool may_grow;
  combinable<job_ring> of_others;
};

}  // namespace heist::inline v0::detail
