// Groups of tasks: each task is a detached one, the group counts those that haven't ended.
//
// Invariants.
//   G1  A task counts as unfinished from before it is given to the pool until its closure is
//       destroyed and its exception is kept. wait() sees both: the count is guarded by a lock.
//   G2  After a task is given to the pool, run() touches the group no more; nor does a task after
//       it is counted off. So a group may be destroyed as soon as wait() has returned.
#include "heist/task_group.hpp"

#include <exception>
#include <utility>

#include "heist/detail/measured.hpp"
#include "heist/error.hpp"
#include "heist/pool.hpp"
#include "observe/span/strands.hpp"
#include "platform/fatal.hpp"
#include "runtime/notes.hpp"
#include "tasks/detached_drain.hpp"
#include "tasks/fiber_scoped.hpp"
#include "tasks/left_work.hpp"

namespace heist::inline v0 {

namespace detail {

// A task of a group that runs: on the stack of the function that calls it.
class running_task : public fiber_scoped<running_task, &fiber::group_task> {
 public:
  explicit running_task(const task_group& g) noexcept : fiber_scoped(fiber_here()), group_(g) {}

  [[nodiscard]] static bool is_one_of(const task_group& g) noexcept {
    for (const running_task* t = innermost(fiber_here()); t != nullptr; t = t->outer())
      if (&t->group_ == &g) return true;
    return false;
  }

 private:
  const task_group& group_;
};

struct group_access {
  // Ends what was counted. call(), unless tasks are skipped; drop() in that case.
  template <class Call, class Drop>
  static void run(task_group& g, const Call& call, const Drop& drop) noexcept {
    if (g.stop_requested()) {
      drop();
      // Relaxed: wait() reads it after the count, which orders the two.
      g.skipped_.fetch_add(1, std::memory_order_relaxed);
    } else {
      if (measures_work()) [[unlikely]]
        strands::note_not_covered("task groups: their work counts, but Tinf is wrong");
      const running_task here(g);
      try {
        call();
      } catch (...) {
        keep(g, std::current_exception());
      }
    }
    // Relaxed: what the destructor reads after the count, or a wait() has lowered.
    if (!g.has_ended_.load(std::memory_order_relaxed))
      g.has_ended_.store(true, std::memory_order_relaxed);
    g.unfinished_.finish();
  }

 private:
  static void keep(task_group& g, std::exception_ptr thrown) noexcept {
    const holding hold(g.guard_);
    if (g.thrown_ == nullptr) std::swap(g.thrown_, thrown);
    g.request_stop();
  }
};

void group_task::begin(detached_task& self) noexcept {
  auto& t = static_cast<group_task&>(self);
  group_access::run(
      t.group, [&t] { t.call(t); }, [&t] { t.drop(t); });
}

}  // namespace detail

task_group::~task_group() {
  if (unfinished_.is_over() && !has_ended_.load(std::memory_order_relaxed)) return;
  if (std::uncaught_exceptions() == 0)
    platform::fatal("a task_group is destroyed after run() without wait()");
  request_stop();
  join();
}

void task_group::join() noexcept {
  while (detail::run_newest_left_of(waiting_) && detail::run_one_of(waiting_)) {
  }
  unfinished_.wait({detail::wait_kind::task_group, false, this});
  detail::notes::joins(this);
}

void task_group::start(detail::group_task& t) {
  unfinished_.start();
  try {
    if (pool_ == nullptr)
      start_detached(t);
    else
      start_detached(*pool_, t);
  } catch (...) {
    t.drop(t);
    unfinished_.finish();
    throw;
  }
}

std::uint64_t task_group::wait() {
  if (detail::running_task::is_one_of(*this))
    throw usage_error(
        "task_group::wait: a task of the group waits for the group, and so for itself");
  join();
  std::exception_ptr thrown;
  std::uint64_t skipped;
  {
    // What a task does that was started meanwhile belongs to the next wait, or all of it to this.
    const detail::holding hold(guard_);
    thrown = std::exchange(thrown_, nullptr);
    skipped = skipped_.exchange(0, std::memory_order_relaxed);
    stops_.store(false, std::memory_order_relaxed);
    has_ended_.store(false, std::memory_order_relaxed);
  }
  if (thrown != nullptr) std::rethrow_exception(std::move(thrown));
  return skipped;
}

std::uint64_t task_group::call_and_wait(void (*call)(void*), void* closure) {
  if (detail::running_task::is_one_of(*this))
    throw usage_error(
        "task_group::run_and_wait: a task of the group waits for the group, and so for itself");
  unfinished_.start();
  const auto run = [=, this] {
    detail::group_access::run(
        *this, [=] { call(closure); }, [] {});
  };
  try {
    if (pool_ == nullptr)
      detail::run_in(nullptr, run);
    else
      pool_->run(run);
  } catch (...) {  // the pool didn't take it, for the function itself throws nothing
    unfinished_.finish();
    throw;
  }
  return wait();
}

}  // namespace heist::inline v0
