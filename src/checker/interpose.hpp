// What stands before the C library's functions: interposed_locks.cpp, interposed_calls.cpp.
//
// std::mutex, std::shared_mutex, std::condition_variable, std::this_thread and the like call these
// functions. Each has a name of its own here and the real one as its symbol: the system's headers
// declare the real ones with attributes that differ from one system to the next.
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <cerrno>

#include "checker/flow.hpp"

namespace heist::inline v0::checker {

// The next function of that name. A load once it is known.
template <class Function>
class next_function {
 public:
  constexpr explicit next_function(const char* name) noexcept : name_(name) {}
  Function* get() noexcept {
    Function* f =
        known_.load(std::memory_order_relaxed);  // the one that comes first finds the same
    if (f == nullptr) [[unlikely]] {
      // The old version of these, which x86-64 has too, differs.
#if defined(__x86_64__)
      f = reinterpret_cast<Function*>(::dlvsym(RTLD_NEXT, name_, "GLIBC_2.3.2"));
#endif
      if (f == nullptr) f = reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name_));
      known_.store(f, std::memory_order_relaxed);
    }
    return f;
  }

 private:
  const char* const name_;
  std::atomic<Function*> known_{nullptr};
};

// Around a call: errno is the call's.
class blocked {
 public:
  explicit blocked(const char* call) noexcept { flow::current().block(call); }
  ~blocked() {
    const int kept = errno;
    flow::current().unblock();
    errno = kept;
  }
  blocked(const blocked&) = delete;
  blocked& operator=(const blocked&) = delete;
};

}  // namespace heist::inline v0::checker

// A function under the symbol `name`, and `next`, the one that it stands before.
#define HEIST_INTERPOSE(result, name, parameters)                       \
  extern "C" __attribute__((visibility("default")))                     \
  result checked_##name parameters __asm__(#name);                      \
  static constinit next_function<result parameters> next_##name(#name); \
  extern "C" result checked_##name parameters
// One that blocks, and holds nothing afterwards that it didn't before.
#define HEIST_INTERPOSE_BLOCKING(result, name, parameters, arguments) \
  HEIST_INTERPOSE(result, name, parameters) {                         \
    const blocked during(#name);                                      \
    return next_##name.get() arguments;                               \
  }
