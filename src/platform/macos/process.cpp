// As ../process.cpp, but only the handler of pthread_atfork() notices a fork: macOS has no page
// that the kernel clears in a child.
#include "platform/process.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

namespace heist::inline v0::platform {

namespace {

constinit std::atomic<unsigned> generation{0};

// In the child of fork(). Relaxed: there is one thread.
void on_fork() noexcept { generation.fetch_add(1, std::memory_order_relaxed); }

[[gnu::constructor]] void watch_for_forks() noexcept { call_in_forked_child(&on_fork); }

}  // namespace

unsigned process_generation() noexcept { return generation.load(std::memory_order_relaxed); }

void call_in_forked_child(void (*f)()) noexcept {
  static_cast<void>(::pthread_atfork(nullptr, nullptr, f));
}

const char* environment_variable(const char* name) noexcept {
  return ::issetugid() != 0 ? nullptr : ::getenv(name);
}

void keep_code_loaded() noexcept {
  static constinit std::atomic<bool> is_kept{false};  // relaxed: a hint that nothing is left to do
  if (is_kept.load(std::memory_order_relaxed)) return;
  Dl_info here{};
  if (::dladdr(reinterpret_cast<void*>(&keep_code_loaded), &here) != 0 && here.dli_fname != nullptr)
    static_cast<void>(::dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE));
  is_kept.store(true, std::memory_order_relaxed);
}

}  // namespace heist::inline v0::platform
