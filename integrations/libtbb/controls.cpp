// global_control and task_scheduler_handle.
#include "controls.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <mutex>
#include <vector>

#include "abi.hpp"
#include "market.hpp"
#include "participant.hpp"

namespace tbb::detail::r1 {

// The header names this one as a friend of global_control.
struct global_control_impl {
  static std::size_t value(const d1::global_control& c) noexcept { return c.my_value; }
  static int parameter(const d1::global_control& c) noexcept { return c.my_param; }
};

}  // namespace tbb::detail::r1

namespace heist::inline v0::libtbb {

namespace {

using control = d1::global_control;

constexpr std::size_t default_stack_bytes = std::size_t{4} << 20;

// The controls in force, and what they come to. The numbers are read without the lock.
struct control_table {
  std::mutex lock;
  std::array<std::vector<const control*>, control::parameter_max> in_force;
  std::atomic<std::size_t> parallelism{0};  // 0: none in force
  std::atomic<std::size_t> stack_bytes{default_stack_bytes};
  std::atomic<bool> terminates{false};

  // Under the lock. Relaxed: numbers alone.
  void sum_up() noexcept {
    const auto extreme = [&](control::parameter p, std::size_t none, auto better) {
      std::size_t best = none;
      bool is_first = true;
      for (const control* c : in_force[p]) {
        const std::size_t v = r1::global_control_impl::value(*c);
        if (is_first || better(v, best)) best = v;
        is_first = false;
      }
      return best;
    };
    parallelism.store(extreme(control::max_allowed_parallelism, 0, std::less<>{}),
                      std::memory_order_relaxed);
    stack_bytes.store(extreme(control::thread_stack_size, default_stack_bytes, std::greater<>{}),
                      std::memory_order_relaxed);
    terminates.store(extreme(control::terminate_on_exception, 0, std::greater<>{}) != 0,
                     std::memory_order_relaxed);
  }
};

control_table& controls() noexcept {
  static control_table* const one = new control_table;  // never destroyed: workers ask at the end
  return *one;
}

}  // namespace

// Relaxed, all three: as sum_up().
std::size_t allowed_parallelism() noexcept {
  const std::size_t least = controls().parallelism.load(std::memory_order_relaxed);
  return least != 0 ? least : std::max(worker_market::instance().pool_size(), 1u);
}
std::size_t worker_stack_bytes() noexcept {
  return controls().stack_bytes.load(std::memory_order_relaxed);
}
bool exceptions_terminate() noexcept {
  return controls().terminates.load(std::memory_order_relaxed);
}

}  // namespace heist::inline v0::libtbb

namespace tbb::detail::r1 {

using namespace heist::libtbb;

void create(d1::global_control& c) {
  worker_market& m = worker_market::instance();
  control_table& table = controls();
  {
    const std::lock_guard held(table.lock);
    table.in_force.at(static_cast<std::size_t>(global_control_impl::parameter(c))).push_back(&c);
    table.sum_up();
  }
  m.allot_again();
}

void destroy(d1::global_control& c) {
  control_table& table = controls();
  {
    const std::lock_guard held(table.lock);
    std::erase(table.in_force.at(static_cast<std::size_t>(global_control_impl::parameter(c))), &c);
    table.sum_up();
  }
  worker_market::instance().allot_again();
}

std::size_t global_control_active_value(int parameter) {
  switch (parameter) {
    case d1::global_control::max_allowed_parallelism:
      return allowed_parallelism();
    case d1::global_control::thread_stack_size:
      return worker_stack_bytes();
    case d1::global_control::terminate_on_exception:
      return exceptions_terminate() ? 1 : 0;
    default:
      return 0;
  }
}

namespace {

constinit std::atomic<unsigned> handles{0};

}  // namespace

// A handle has nothing to keep: the pool is heist's.
void get(d1::task_scheduler_handle& handle) {
  handle.m_ctl = new d1::global_control(d1::global_control::scheduler_handle, 1);
  handles.fetch_add(1, std::memory_order_relaxed);
}

void release_impl(d1::task_scheduler_handle& handle) {
  delete handle.m_ctl;
  handle.m_ctl = nullptr;
  handles.fetch_sub(1, std::memory_order_relaxed);
}

// Waits until no worker is in an arena. It fails inside of a task, where that would be for ever,
// and while there are other handles, threads with an arena, or arenas of the program's.
bool finalize(d1::task_scheduler_handle& handle, std::intptr_t mode) {
  release_impl(handle);
  if (mode == d1::release_nothrowing) return true;
  if (current_participant == nullptr && worker_market::instance().is_unused()) return true;
  // Relaxed: a number.
  if (handles.load(std::memory_order_relaxed) == 0 && end_idle_participant() &&
      worker_market::instance().await_end_of_visits())
    return true;
  if (mode == d1::finalize_throwing) throw_exception(exception_id::unsafe_wait);
  return false;
}

}  // namespace tbb::detail::r1
