// Calls that block, on threads of their own. A call is handed to a free thread, or a thread is
// started for it: it never waits in line behind another call, as it could be what that one waits
// for.
#include "heist/blocking.hpp"

#include "platform/thread.hpp"
#include "runtime/core/blocking.hpp"
#include "runtime/core/environment.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/core/worker.hpp"
#include "runtime/notes.hpp"

namespace heist::inline v0::detail {

namespace {

void run_noted(root& r, const void* settles) noexcept {
  notes::blocks(settles);
  r.run(r);
  notes::has_blocked(settles);
}

}  // namespace

blocking_crew::~blocking_crew() {
  {
    const std::lock_guard hold(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  for (std::thread& t : threads_) t.join();
}

bool blocking_crew::take(call& c, const std::string& pool_name) noexcept {
  const std::lock_guard hold(mutex_);
  const bool is_taken = hand_over(c, pool_name);
  (is_taken ? taken_ : refused_).add();
  return is_taken;
}

bool blocking_crew::hand_over(call& c, const std::string& pool_name) noexcept {
  if (free_ != 0) {
    --free_;
    calls_.push(&c);
    changed_.notify_one();
    return true;
  }
  if (threads_.size() == max_threads) return false;
  try {
    if (threads_.empty()) threads_.reserve(max_threads);
    auto thread = platform::try_start_thread(
        [this, name = pool_name + "+" + std::to_string(threads_.size())] { serve(name); });
    if (!thread) return false;
    threads_.push_back(std::move(*thread));
    started_.add();
  } catch (const std::bad_alloc&) {
    return false;
  }
  calls_.push(&c);  // the new thread takes it when this one releases the lock
  return true;
}

std::uint64_t blocking_crew::threads_in_use() const noexcept {
  const std::uint64_t ended = ended_.get();  // read at another moment than the other
  const std::uint64_t taken = taken_.get();
  return taken > ended ? taken - ended : 0;
}

void blocking_crew::report_to(pool_stats& s) const noexcept {
  s.blocking_calls = taken_.get();
  s.blocking_refusals = refused_.get();
  s.blocking_threads_in_use = threads_in_use();
  s.blocking_threads_peak = started_.get();
}

void blocking_crew::serve(const std::string& name) noexcept {
  platform::set_thread_name(name.c_str());
  std::unique_lock hold(mutex_);
  for (;;) {
    call* const c = calls_.pop();
    if (c != nullptr) {
      hold.unlock();
      run_noted(c->what, &c->ended);
      c->ended.end();  // *c may be gone from here on
      hold.lock();
      ++free_;
      ended_.add();
    } else if (is_over_) {
      return;
    } else {
      changed_.wait(hold);
    }
  }
}

void run_blocking(root& r) {
  worker* const w = this_worker();
  if (w != nullptr && !w->alone && !serial_elision()) {
    blocking_crew::call c{r};
    if (w->pool.blocking().take(c, w->pool.config().name)) {
      c.ended.wait({wait_kind::blocking_call});
      return;
    }
  }
  run_noted(r, nullptr);
}

}  // namespace heist::inline v0::detail
