// The market: which arenas heist's workers visit.
//
// An arena with work asks for as many workers as it has seats for them. The market allots the
// workers that are allowed (controls.hpp), high priorities first, equal ones in proportion. A visit
// is a function that is submitted to heist's pool: it goes from arena to arena for as long as one
// has fewer workers than it is allotted, and then its worker is the pool's again. So programs for
// oneTBB share the pool with whatever else runs on it.
//
// The first visits, with the thread that waits as many as the default pool has workers, begin as
// soon as there is work for them. A program may allow more threads, as with a global_control of 8
// on 2 processors. The rest begin when work stands still: an arena has work, and for a millisecond
// no thread in it has begun a task, since its tasks block or take long. So small tasks are run by
// threads that have processors, and tasks that block overlap as the program wants. These visits are
// submitted to a second pool, which is made for them. One thread, the watch, looks for work that
// stands still. It sleeps for good while no visit is held back.
//
// Everything is under one lock; advertising work takes it, spawning does not.
//
// Invariants: no work is forgotten. tests/model/request_models.cpp has M1 and M3 as programs.
//   M1  While an arena's demand is 0 its hungry_ is 1, or the one that has lowered it is about to
//       ask for workers. So demand becomes 0 only where hungry_ is found to be 1 under the lock
//       (give_up).
//   M2  While allotted is above active, a visit is on its way, or as many visits as are allowed
//       run, each of which looks at all arenas before it ends. A visit that could not be made is
//       tried again by the watch.
//   M3  An arena whose seats were all taken (is_full) gets no visits until a thread leaves one of
//       them. The one that finds it full raises the flag and then looks at the seats once more; the
//       one that leaves a seat gives it back and then looks at the flag.
//   M4  The one that may push to an arena refers to it. So an arena to which nothing but its own
//       demand refers, and which has no work, is over (drop).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "arenas/arena.hpp"
#include "market/standstill_watch.hpp"

namespace heist::inline v0 {
class pool;
}

namespace heist::inline v0::libtbb {

class worker_market final : public arena_keeper {
 public:
  static worker_market& instance();

  // A new arena, with a reference. Throws std::bad_alloc.
  work_arena& make_arena(unsigned size, unsigned reserved, int priority,
                         const d1::constraints& c = {});
  void refer(work_arena& a) noexcept override;
  void release(work_arena& a) noexcept override;
  void ask_for_workers(work_arena& a, bool must_run) noexcept override;
  bool give_up(work_arena& a) noexcept override;
  void seat_was_left(work_arena& a) noexcept override;

  // What task_arena::max_concurrency() answers.
  [[nodiscard]] unsigned concurrency_of(const work_arena& a) noexcept;
  // The number of workers that are allowed has changed.
  void allot_again() noexcept;
  // For finalize(): waits until no visit is left. False if there are arenas then, of other threads
  // or of the program's objects.
  bool await_end_of_visits() noexcept;
  [[nodiscard]] bool is_unused() noexcept;
  // Arenas in which stacks wait may have become ready to go on.
  void advertise_all() noexcept;

  // How many workers the default pool has.
  [[nodiscard]] unsigned pool_size() const noexcept { return pool_size_; }

 private:
  worker_market();
  void note_arenas() noexcept;  // for the report at exit

  [[nodiscard]] std::size_t visits_allowed() const noexcept;
  [[nodiscard]] bool holds_visits_back() const noexcept;
  [[nodiscard]] std::size_t could_have(const work_arena& a) const noexcept;
  void allot() noexcept;
  void ask_for_nobody(work_arena& a, std::unique_lock<std::mutex>& held) noexcept;
  void start_visits(std::unique_lock<std::mutex>& held) noexcept;
  // Which threads visit: those of the default pool, or of the second one.
  enum class visitor : std::uint8_t { own, second };
  pool* pool_for_visit(visitor& who) noexcept;
  static bool start_visit(pool& where, visitor who) noexcept;
  static void visit(visitor who) noexcept;
  [[nodiscard]] unsigned& visits_of(visitor who) noexcept {
    return visits_[static_cast<std::size_t>(who)];
  }
  [[nodiscard]] unsigned visits() const noexcept { return visits_[0] + visits_[1]; }
  void make_second_pool(unsigned size) noexcept;
  work_arena* next_arena(work_arena* left, bool had_seat, visitor who) noexcept;
  void note_full(work_arena& a) noexcept;
  void drop(work_arena& a, std::unique_lock<std::mutex>& held) noexcept;
  // By the watch: lets one more visit begin if work stands still somewhere. False if no visit is
  // held back, and the watch is over until the next begin().
  bool look_for_standstill() noexcept;

  std::mutex lock_;
  std::vector<work_arena*> arenas_;  // the highest priority first
  unsigned pool_size_;
  std::array<unsigned, 2> visits_{};
  bool is_visit_owed_ = false;   // one could not be made
  std::size_t late_visits_ = 0;  // that may begin since work stood still
  pool* second_ = nullptr;
  unsigned second_size_ = 0;
  unsigned refused_size_ = ~0U;  // of a second pool for which there were no threads
  standstill_watch watch_{[] { return instance().look_for_standstill(); }};
};

}  // namespace heist::inline v0::libtbb
