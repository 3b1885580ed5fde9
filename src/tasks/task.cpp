// Task objects, on the deque that forks use.
//
// execute() runs in a frame that knows what was left on the deque, and that waits before it ends:
// children never outlive their parent, so they can reach its frame at any time.
//
// Source: task objects with a parent and a count of unfinished children, as oneTBB had them; what a
// waiter runs is heist's own (task.hpp).
#include "heist/task.hpp"

#include <cstdint>
#include <exception>
#include <type_traits>
#include <utility>

#include "heist/detail/measured.hpp"
#include "heist/detail/root.hpp"
#include "heist/detail/waiters.hpp"
#include "heist/error.hpp"
#include "heist/pool.hpp"
#include "heist/scope.hpp"
#include "observe/span/strands.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/notes.hpp"
#include "runtime/work/views.hpp"
#include "tasks/left_work.hpp"

namespace heist::inline v0 {

namespace detail {

namespace {

// What lies on the deque.
struct spawned_task {
  task* child;
  task_frame* parent;   // in which it was spawned: a task may run in itself
  std::uint64_t place;  // among the children
};

}  // namespace

struct task_access {
  // Runs a child on that fiber, unless an older one has thrown. The caller reports its end.
  static void run(task& t, task_frame& parent, std::uint64_t place, fiber* here) noexcept;
  static void run_root(task& t, fiber* here);

 private:
  // Runs execute(), and waits for the children. Calls failed(exception) if that or a child has
  // thrown.
  template <class Failed>
  static void run_whole(task& t, fiber* here, const Failed& failed);
};

struct task_frame {
  task_frame(task& t, fiber* here) noexcept
      : owner(t), outer(std::exchange(t.frame_, this)), on(here) {}
  ~task_frame() { owner.frame_ = outer; }

  // Of what execute() itself throws: what a child throws comes first.
  static constexpr std::uint64_t own_place = ~std::uint64_t{0};
  // Keeps what the child at that place has thrown, if it comes before what is kept already.
  void keep(std::uint64_t place, std::exception_ptr exception) noexcept {
    const holding hold(guard);
    if (thrown != nullptr && place >= thrown_place) return;
    std::swap(thrown, exception);
    thrown_place = place;
    has_failed.store(true, std::memory_order_relaxed);  // a hint; the joins order the rest
  }
  // Whether a child that hasn't begun is skipped: not if a serial run would have met its exception
  // first.
  bool must_skip(std::uint64_t place) noexcept {
    if (!has_failed.load(std::memory_order_relaxed)) return false;
    const holding hold(guard);
    return place >= thrown_place;
  }

  void spawn(task& child) noexcept {
    child.parent_ = &owner;
    worker* const w = worker_here();
    if (!left.is_here(w)) [[unlikely]]
      return call_for_others(child);
    count_own(1);
    // Relaxed, both: others add only what has no order among execute()'s own.
    const std::uint64_t place = next_place.load(std::memory_order_relaxed);
    next_place.store(place + 1, std::memory_order_relaxed);
    if (left.push<spawned_task>(*w, &run_stolen, &child, this, place)) [[likely]]
      return;
    run_own(child, place);
  }

  // Whether execute() itself asks.
  [[nodiscard]] bool is_here() const noexcept { return left.may_pop(worker_here()); }
  void wait() noexcept {
    while (!left.empty()) {
      if (const auto* const entry = left.pop<spawned_task>()) run_own(*entry->child, entry->place);
    }
  }
  void run_own(task& child, std::uint64_t place) noexcept {
    task_access::run(child, *this, place, on);
    count_own(-1U);
  }
  // From a fork or a scope, or a descendant.
  [[gnu::noinline]] void call_for_others(task& child) noexcept {
    // The program's call, since the optimiser makes jumps of those between; else one of heist's,
    // which reports leave out.
    const notes::branch of(&owner, race::kind::task, __builtin_return_address(0));
    owner.by_others_.fetch_add(1, std::memory_order_relaxed);
    task_access::run(child, *this, next_place.fetch_add(1, std::memory_order_relaxed),
                     fiber_here());
    end_for_others();
  }
  // Release, both: partners in unfinished_children(). Up they need no more than the joins, which
  // order the children's work.
  void end_for_others() noexcept { owner.by_others_.fetch_sub(1, std::memory_order_release); }
  void count_own(unsigned by) noexcept {
    // Relaxed: execute() alone writes it.
    const unsigned now = owner.by_itself_.load(std::memory_order_relaxed);
    owner.by_itself_.store(now + by, std::memory_order_release);
  }

  // After wait().
  std::exception_ptr take_thrown() noexcept {
    has_failed.store(false, std::memory_order_relaxed);
    return std::exchange(thrown, nullptr);
  }

  static void run_stolen(job& j) noexcept {
    const auto s = left_work::item_in<spawned_task>(j);
    task_access::run(*s.child, *s.parent, s.place, fiber_here());
    s.parent->end_for_others();
    complete(j, job::done);
  }

  task& owner;
  task_frame* const outer;  // of the same task, which runs in itself
  fiber* const on;
  left_work left{on};
  std::atomic<std::uint64_t> next_place{0};
  short_lock guard;
  std::atomic<bool> has_failed{false};
  std::uint64_t thrown_place = 0;  // guarded, as is the next
  std::exception_ptr thrown;
};

template <class Failed>
[[gnu::always_inline]] inline void task_access::run_whole(task& t, fiber* here,
                                                          const Failed& failed) {
  task_frame frame(t, here);
  try {
    t.execute();
  } catch (...) {
    frame.keep(task_frame::own_place, std::current_exception());
  }
  frame.wait();                           // out of the handler: it may suspend
  if (here == nullptr) notes::joins(&t);  // where forks are calls
  if (frame.has_failed.load(std::memory_order_relaxed)) [[unlikely]]
    failed(frame.take_thrown());
}

void task_access::run(task& t, task_frame& parent, std::uint64_t place, fiber* here) noexcept {
  const bool is_owned = t.is_owned_;
  const views_refused in_no_order(here);
  if (!parent.must_skip(place)) [[likely]] {
    run_whole(t, here, [&](std::exception_ptr thrown) { parent.keep(place, std::move(thrown)); });
  }
  if (is_owned) delete &t;
}

void task_access::run_root(task& t, fiber* here) {
  if (measures_work()) [[unlikely]]
    strands::note_not_covered("task objects: their work counts, but Tinf is wrong");
  run_whole(t, here, [](std::exception_ptr thrown) { std::rethrow_exception(std::move(thrown)); });
}

}  // namespace detail

task::~task() = default;

void task::spawn(task& child) noexcept {
  child.is_owned_ = false;
  frame_->spawn(child);
}

void task::spawn(std::unique_ptr<task> child) noexcept {
  task& t = *child.release();
  t.is_owned_ = true;
  frame_->spawn(t);
}

void task::wait_for_all() {
  const bool is_here = frame_ != nullptr && frame_->is_here();
  if (frame_ == nullptr || (!is_here && unfinished_children() != 0))
    throw usage_error("task::wait_for_all: only execute() itself can wait for its children");
  if (is_here) frame_->wait();
  detail::notes::joins(this);
  // Relaxed: as in take_thrown().
  if (frame_->has_failed.load(std::memory_order_relaxed)) [[unlikely]]
    std::rethrow_exception(frame_->take_thrown());
}

void run_task(task& root) {
  using detail::fiber_here;
  // On a worker run_in() would be a call.
  if (const detail::worker* const w = detail::worker_here(); w != nullptr && !w->alone)
    return detail::task_access::run_root(root, w->current.get());
  detail::run_in(nullptr, [&root] { detail::task_access::run_root(root, fiber_here()); });
}

void run_task(pool& p, task& root) {
  p.run([&root] { detail::task_access::run_root(root, detail::fiber_here()); });
}

}  // namespace heist::inline v0

// ---- left_work.hpp

namespace heist::inline v0::detail {

bool left_work::may_wait(const worker& w) const noexcept {
  // Relaxed: as in control::asked().
  return !w.counts_all && top_ < w.deque->capacity &&
         w.deque->limit.load(std::memory_order_relaxed) == 0 && !w.pool.somebody_sleeps();  // S7
}

void scope_floor::raise() noexcept {
  before_ = left_->raise_floor(static_cast<position>(hot_path::depth()));
}
void scope_floor::lower() noexcept { static_cast<void>(left_->raise_floor(before_)); }

}  // namespace heist::inline v0::detail
