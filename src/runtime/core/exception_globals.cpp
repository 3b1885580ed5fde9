#include "runtime/core/exception_globals.hpp"

#include <cxxabi.h>

// libc++abi exports this function and declares it nowhere; libstdc++'s declaration is the same.
namespace __cxxabiv1 {
struct __cxa_eh_globals;
extern "C" __cxa_eh_globals* __cxa_get_globals() noexcept;
}  // namespace __cxxabiv1

namespace heist::inline v0::detail {

namespace {

// Fetched anew each time: the thread may have changed since the last call. <cxxabi.h> declares the
// function const, so not inlining this one is not enough: the compiler would find it const too, and
// merge calls.
[[gnu::noinline]] exceptions_of_thread* thread_globals() noexcept {
  auto* g = reinterpret_cast<exceptions_of_thread*>(abi::__cxa_get_globals());
  asm volatile("" : "+r"(g));
  return g;
}

}  // namespace

const exceptions_of_thread* exception_globals::of_thread() noexcept { return thread_globals(); }

// Relaxed atomics cost nothing, and tell ThreadSanitizer that the fibers of one thread share these.
exception_globals exception_globals::take() noexcept {
  exceptions_of_thread* g = thread_globals();
  const exception_globals mine{__atomic_load_n(&g->caught, __ATOMIC_RELAXED),
                               __atomic_load_n(&g->uncaught, __ATOMIC_RELAXED)};
  exception_globals{}.put();
  return mine;
}

void exception_globals::put() const noexcept {
  exceptions_of_thread* g = thread_globals();
  __atomic_store_n(&g->caught, caught, __ATOMIC_RELAXED);
  __atomic_store_n(&g->uncaught, uncaught, __ATOMIC_RELAXED);
}

}  // namespace heist::inline v0::detail
