// global_control and task_scheduler_handle.
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "arenas/participant.hpp"
#include "market/market.hpp"
#include "parts/abi.hpp"
#include "parts/controls.hpp"

namespace tbb::detail::r1 {

using namespace heist::libtbb;

void create(d1::global_control& c) {
  worker_market& m = worker_market::instance();  // first: it says how many threads are usual
  put_in_force(c);
  m.allot_again();
}

void destroy(d1::global_control& c) {
  take_out_of_force(c);
  worker_market::instance().allot_again();
}

std::size_t global_control_active_value(int parameter) {
  switch (parameter) {
    case d1::global_control::max_allowed_parallelism:
      static_cast<void>(worker_market::instance());  // as in create()
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
