// While a function of a job runs, or one that the pool runs (on_worker, pool::run, submit): what it
// leaves on the deque.
//
// When the function ends, what is still there is run at once if it belongs to the job, which can't
// end before that anyway. The rest is handed to the pool: if it ran on top of the caller, it might
// wait for what the caller does next.
//
// An entry of the deque is a row of jobs that lie one after the other in a ring. A steal moves
// several cache lines from one processor to another, whatever it takes: with one job to an entry
// that would cost more than small jobs do, and the lines of a row are fetched all at once. The
// first entries have one job each, so that few large jobs are spread over as many workers; and a
// thief leaves half of its row, and what it hasn't begun of the other half, on its own deque. How
// the owner changes a row that thieves see: job_row.hpp. An entry of a shared queue is one job.
//
// Parts of a job that end here, one after the other, are taken off its count at once: meanwhile
// this thread runs nothing but further parts of that job, so nobody waits for it any longer than
// without that.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "heist/detail/measured.hpp"
#include "observe/span/strands.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/waits/rendezvous.hpp"
#include "runtime/work/views.hpp"
#include "tasks/fiber_scoped.hpp"
#include "tasks/job_record.hpp"
#include "tasks/job_row.hpp"
#include "tasks/left_work.hpp"

namespace heist::inline v0::detail {

class job_frame : public fiber_scoped<job_frame, &fiber::frame> {
 public:
  // The function of r; nullptr: of no job.
  explicit job_frame(job_record* r) noexcept : job_frame(r, fiber_here()) {}

  static job_frame* current() noexcept { return innermost(fiber_here()); }

  // For the function of a root (pool::run, submit), which has no frame before it runs a job: one
  // that ends with it. Nullptr: the caller is another function, one that a fork called, or one with
  // something else open on the deque; or there is no memory.
  [[gnu::noinline]] static job_frame* for_root(const worker& w) noexcept {
    fiber& here = *w.current;
    const bool is_root_itself =
        here.runs_root && here.left == nullptr && w.deque->depth() == w.first_position();
    auto* const made = is_root_itself ? new (std::nothrow) job_frame(nullptr, &here) : nullptr;
    if (made == nullptr) return nullptr;
    here.at_end_of_root = [](fiber& f) noexcept {
      const std::unique_ptr<job_frame> ends(f.frame);
      ends->work_off();
    };
    return made;
  }

  // Whether this frame runs the job, or one below it.
  [[nodiscard]] bool is_inside(const job_record& r) const noexcept {
    return record_ != nullptr && record_->belongs_to(&r);
  }

  // For current(), on that worker: pushes the job on the deque, or hands it to the pool if the
  // deque is full or the caller is not the function itself.
  [[gnu::always_inline]] void run(worker& w, job_record& r) noexcept {
    if (&r == next_in_row_ && left_.is_newest(w)) [[likely]] {
      next_in_row_ = next_after(r);
      if (add_to_newest(w)) [[likely]]
        return;
    }
    run_as_entry(w, r);
  }

  // The function has returned: nothing is left afterwards. Returns how many parts of its job have
  // ended, which the caller has to take off.
  [[gnu::noinline]] std::uint32_t work_off() noexcept {
    parts_of of{record_ == nullptr ? no_job() : record_};
    if (!left_.empty()) run_left(of, nullptr, 0);
    return of.ended;
  }

  // Runs what belongs to r until that has ended; the caller is not inside of r.
  void work_off(job_record& r, std::uint64_t number) noexcept {
    if (!left_.may_pop(worker_here())) return;
    parts_of of{&r};
    run_left(of, &r, number);
    of.take_off();
  }

  // Runs a job that no other function has left.
  static void run_entered(job_record& r) noexcept { job_frame(nullptr).run_alone(r); }

 private:
  using row = basic_job_row<job_record>;  // what an entry holds
  // At most; in a pool with fewer workers as many as it has.
  static constexpr unsigned single_entries = 8;
  // Rows end where the address of a record is a multiple of that many: a push needs no count then.
  static constexpr std::uintptr_t longest_row = 32;

  static constexpr unsigned entries_per_answer = 4;

  // The record that may follow r in its row, or nullptr.
  static job_record* next_after(job_record& r) noexcept {
    job_record* const after = &r + 1;
    const auto place = reinterpret_cast<std::uintptr_t>(after) / sizeof(job_record);
    return place % longest_row == 0 ? nullptr : after;
  }

  // Whether what is in an entry stays there while others can take it. In a shared queue it doesn't
  // (Q2).
  static bool has_rows(const worker& w) noexcept {
    return w.pool.config().deque != deque_kind::shared_queue;
  }

  // To which no job belongs.
  static job_record* no_job() noexcept {
    static constinit char place = 0;
    return reinterpret_cast<job_record*>(&place);
  }

  // Parts of a job that have ended and count still.
  struct parts_of {
    job_record* whole;
    std::uint32_t ended = 0;
    bool of_any = false;  // `whole` becomes the parent of whatever is popped

    void take_off() noexcept {
      if (ended != 0) job_record::take_off_all(whole, std::exchange(ended, 0));
    }
    // A part of r has ended.
    void add(job_record* r) noexcept {
      while (r != nullptr && r != whole && r->take_off(1)) {
        job_record* const above = r->parent;
        r->end(r->number());
        r = above;
      }
      if (r == whole) ++ended;
    }
  };

  job_frame(job_record* r, fiber* here) noexcept
      : fiber_scoped(here), record_(r), fiber_(here), left_(here, entries_per_answer) {
    if (measures_work()) [[unlikely]]
      strands::note_not_covered("jobs of a job_system: their work counts, but Tinf is wrong");
  }

  [[gnu::noinline]] void run_as_entry(worker& w, job_record& r) noexcept {
    // Asked before the push: afterwards a thief may have run the job, and one on the heap is gone.
    const bool may_grow =
        left_.size() >= std::min(w.workers.get(), single_entries) && !r.is_on_heap && has_rows(w);
    next_in_row_ = may_grow ? next_after(r) : nullptr;
    if (left_.is_newest(w) && push_row(w, &r, 1, next_in_row_ != nullptr)) [[likely]]
      return;
    next_in_row_ = nullptr;
    start_root(&w.pool, r);
  }
  // The rest of a row of which a part is run here.
  void push_rest(job_record* oldest, std::uint64_t length) noexcept {
    worker& w = self_worker();
    if (length == 0 || push_row(w, oldest, length, has_rows(w))) return;
    for (std::uint64_t i = 0; i < length; ++i) start_root(nullptr, oldest[i]);
  }
  // Whether the owner may change the row later (job_row.hpp).
  [[nodiscard]] bool push_row(worker& w, job_record* oldest, std::uint64_t length,
                              bool changes) noexcept {
    if (w.uses_split()) return left_.push<row>(w, &run_stolen, oldest, length, false);
    if (!left_.empty())
      if (row* const below = left_.newest<row>(w)) below->close();
    return left_.push<row>(w, &run_stolen, oldest, length, changes);
  }

  [[nodiscard]] bool add_to_newest(worker& w) noexcept {
    if (w.uses_split())
      return left_.change_newest<row>(w, [](row& r) { r.set_length(r.length() + 1); });
    row* const newest = left_.newest<row>(w);
    return newest != nullptr && newest->add();
  }

  // Calls the function, and runs what it leaves of the job. True: the job has ended, and its parent
  // has lost a part, for the caller to take off.
  [[nodiscard]] [[gnu::always_inline]] bool execute(job_record& r) noexcept {
    record_ = &r;
    const std::uint64_t number = r.number();
    try {
      r.call(r.data, r.name_of(number));
    } catch (...) {
      r.keep(std::current_exception());
    }
    std::uint32_t parts = 1;  // the function
    if (!left_.empty()) [[unlikely]]
      parts += work_off();
    if (!r.take_off(parts)) return false;
    r.end(number);
    return true;
  }

  // A row that thieves may have had. Parts are taken off before it waits.
  [[gnu::noinline]] job_record* pop_public(parts_of& of) noexcept {
    const row* const entry = left_.pop<row>([&of] { of.take_off(); });
    if (entry == nullptr) return nullptr;
    job_record* const oldest = entry->oldest();
    const std::uint64_t rest = entry->length() - 1;
    push_rest(oldest, rest);
    return oldest + rest;
  }

  // The newest job of what lies on the deque; nullptr: thieves had the newest entry.
  [[nodiscard]] [[gnu::always_inline]] job_record* pop(parts_of& of) noexcept {
    worker& w = *worker_here();
    if (!w.uses_split()) {
      row* const newest = left_.newest<row>(w);
      job_record* const r = newest != nullptr && newest->is_open() ? newest->take() : nullptr;
      return r != nullptr ? r : pop_public(of);
    }
    job_record* r;
    const auto take = [&r](row& entry) {
      const std::uint64_t rest = entry.length() - 1;
      entry.set_length(rest);
      r = entry.oldest() + rest;
      return rest != 0;
    };
    return left_.pop_private<row>(w, take) != left_work::popped::none ? r : pop_public(of);
  }

  // Pops what lies on the deque, newest first, until `until` has ended. What belongs to of.whole is
  // run here, the rest is handed to the pool.
  void run_left(parts_of& of, const job_record* until, std::uint64_t number) noexcept {
    fiber& here = *fiber_;
    view_node* const kept = std::exchange(here.views, nullptr);
    next_in_row_ = nullptr;
    job_record* const own = record_;
    while (!left_.empty() && (of.ended != 0 || until == nullptr || !until->has_ended(number))) {
      job_record* const r = pop(of);
      if (r == nullptr) continue;
      job_record* const parent = r->parent;
      if (parent != of.whole && r != of.whole) [[unlikely]] {
        if (!is_run_here(*r, of)) continue;
      }
      const position start = left_.begin_above();
      const bool has_ended = execute(*r);
      left_.end_above(start);
      if (has_ended) [[likely]] {
        if (parent == of.whole) [[likely]]
          ++of.ended;
        else
          of.add(parent);
      }
      if (here.views != nullptr) [[unlikely]]
        refuse_views();
    }
    next_in_row_ = nullptr;
    record_ = own;
    here.views = kept;
  }
  // If not, it is handed to the pool.
  [[gnu::noinline]] static bool is_run_here(job_record& r, parts_of& of) noexcept {
    if (of.of_any) {
      of.take_off();
      of.whole = r.parent;
      return true;
    }
    if (r.belongs_to(of.whole)) return true;
    start_root(nullptr, r);
    return false;
  }

  // A thief ends the entry before it begins the first job, so that the one that pops entries
  // doesn't wait for the jobs.
  static void run_stolen(job& j) noexcept {
    row& stolen = left_work::item_in<row>(j);
    job_record* const oldest = stolen.oldest();
    const std::uint64_t length = stolen.claim([] { self_worker().pool.heavy_barrier(); });
    j.views = nullptr;  // whatever views the jobs leave are refused
    left_work::settle_at_once(j);
    job_frame(nullptr).run_row(oldest, length);
  }

  void run_alone(job_record& r) noexcept {
    const views_refused in_no_order(fiber_);
    job_record* const above = r.parent;
    if (execute(r)) job_record::take_off_all(above, 1);
  }

  // There is no function below for which any of the jobs might wait.
  void run_row(job_record* oldest, std::uint64_t length) noexcept {
    if (length == 1) return run_alone(*oldest);
    const std::uint64_t left_to_others = length / 2;
    for (std::uint64_t i = length; i-- > left_to_others;) oldest[i].fetch();
    push_rest(oldest, left_to_others);
    push_rest(oldest + left_to_others, length - left_to_others);
    parts_of of{nullptr, 0, true};
    run_left(of, nullptr, 0);
    of.take_off();
  }

  job_record* record_;
  fiber* const fiber_;
  left_work left_;
  job_record* next_in_row_ = nullptr;  // the job that may be added to the newest entry
};

}  // namespace heist::inline v0::detail
