// The thread-locals behind "which worker am I", and the control that the inlined fork and join use.
#include "runtime/core/worker.hpp"

#include "heist/detail/hot_path.hpp"
#include "heist/detail/spawn_path.hpp"

namespace heist::inline v0::detail {

namespace {

// Every thread outside any pool writes its first fork here. Nobody reads it.
alignas(job) constinit char scratch[sizeof(job)] = {};

}  // namespace

#if defined(_WIN32)
// What the loader copies for each thread: objects in a section that the linker sorts between the
// two ends of that template (.tls and .tls$ZZZ).
[[gnu::section(".tls$H"),
  gnu::used]] constinit worker_front* this_thread_worker asm("heist_v0_worker") = nullptr;
[[gnu::section(".tls$H"), gnu::used]] constinit control this_control asm("heist_v0_control"){
    0, scratch, 0};

[[gnu::noinline]] control& current_control() noexcept { return running_control(); }

[[gnu::noinline]] worker* this_worker() noexcept {
  return static_cast<worker*>(this_worker_front());
}

void set_this_worker(worker* w) noexcept { place_of_this_worker() = w; }
#else
constinit thread_local worker_front* this_thread_worker = nullptr;

constinit thread_local control this_control{0, scratch, 0};

[[gnu::noinline]] control& current_control() noexcept {
  control* c = &this_control;
  asm volatile("" : "+r"(c));  // so that the compiler merges no two calls, across a switch
  return *c;
}

[[gnu::noinline]] worker* this_worker() noexcept {
  worker_front* w = this_thread_worker;
  asm volatile("" : "+r"(w));
  return static_cast<worker*>(w);
}

void set_this_worker(worker* w) noexcept { this_thread_worker = w; }
#endif

[[gnu::noinline]] worker_front* this_worker_front_call() noexcept { return this_worker(); }

void leave_pool() noexcept {
  control& c = current_control();
  // Relaxed: from here on only this thread uses it.
  c.reseat(0, scratch);
  c.limit.store(0, std::memory_order_relaxed);
  c.capacity = 0;
  c.unasked = 0;
  set_this_worker(nullptr);
}

}  // namespace heist::inline v0::detail
