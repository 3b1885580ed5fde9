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
#include "observe/span/strands.hpp"
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
  // Runs a child, unless an older one has thrown, and reports its end to the parent.
  static void run(task& t, task_frame& parent, std::uint64_t place) noexcept;
  // Runs execute(), and waits for the children.
  static void run_root(task& t);
};

struct task_frame {
  explicit task_frame(task& t) noexcept : owner(t), outer(std::exchange(t.frame_, this)) {
    if (measures_work()) [[unlikely]]
      strands::note_not_covered("task objects: their work counts, but Tinf is wrong");
  }
  ~task_frame() { owner.frame_ = outer; }

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
    // Relaxed, both: the joins order the children's work; the one that looks from outside acquires.
    owner.unfinished_.fetch_add(1, std::memory_order_relaxed);
    const spawned_task s{&child, this, next_place.fetch_add(1, std::memory_order_relaxed)};
    child.parent_ = &owner;
    worker* const w = worker_here();
    if (!left.is_here(w) || !left.push(*w, &run_stolen, s)) task_access::run(child, *this, s.place);
  }

  // Whether execute() itself asks.
  [[nodiscard]] bool is_here() const noexcept { return left.may_pop(worker_here()); }
  void wait() noexcept {
    while (!left.empty()) {
      spawned_task s;
      if (pop(s)) task_access::run(*s.child, *s.parent, s.place);
    }
  }

  [[nodiscard]] bool pop(spawned_task& s) noexcept {
    const auto take = [&s](const spawned_task& entry) {
      s = entry;
      return false;
    };
    return left.pop_private<spawned_task>(*worker_here(), take) != left_work::popped::none ||
           left.pop_public(s);
  }

  // After wait().
  std::exception_ptr take_thrown() noexcept {
    has_failed.store(false, std::memory_order_relaxed);
    return std::exchange(thrown, nullptr);
  }

  static void run_stolen(job& j) noexcept {
    const auto s = left_work::item_of<spawned_task>(j);
    task_access::run(*s.child, *s.parent, s.place);
    complete(j, job::done);
  }

  task& owner;
  task_frame* const outer;  // of the same task, which runs in itself
  left_work left{fiber_here()};
  std::atomic<std::uint64_t> next_place{0};
  std::atomic<bool> has_failed{false};
  short_lock guard;
  std::uint64_t thrown_place = 0;  // guarded, as is the next
  std::exception_ptr thrown;
};

void task_access::run(task& t, task_frame& parent, std::uint64_t place) noexcept {
  const bool is_owned = t.is_owned_;
  const views_refused in_no_order;
  if (!parent.must_skip(place)) {
    std::exception_ptr thrown;
    try {
      run_root(t);
    } catch (...) {
      thrown = std::current_exception();
    }
    if (thrown != nullptr) parent.keep(place, std::move(thrown));
  }
  if (is_owned) delete &t;
  // Release: partner in unfinished_children().
  parent.owner.unfinished_.fetch_sub(1, std::memory_order_release);
}

void task_access::run_root(task& t) {
  task_frame frame(t);
  std::exception_ptr own;
  try {
    t.execute();
  } catch (...) {
    own = std::current_exception();
  }
  frame.wait();  // out of the handler: it may suspend
  if (std::exception_ptr child = frame.take_thrown()) std::rethrow_exception(std::move(child));
  if (own != nullptr) std::rethrow_exception(std::move(own));
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
  if (std::exception_ptr thrown = frame_->take_thrown()) std::rethrow_exception(std::move(thrown));
}

void run_task(task& root) {
  detail::run_in(nullptr, [&root] { detail::task_access::run_root(root); });
}

void run_task(pool& p, task& root) {
  p.run([&root] { detail::task_access::run_root(root); });
}

}  // namespace heist::inline v0
