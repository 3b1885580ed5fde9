// What stands before the functions of locks, of what is made once, and of threads; and the
// detector's begin and end.
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <unistd.h>

#include "checker/interpose.hpp"
#include "checker/places.hpp"
#include "race/detector.hpp"
#include "race/last_reference.hpp"
#include "race/report.hpp"

extern "C" char __libc_single_threaded;

namespace heist::inline v0::race {
namespace {

using checker::next_function;

void take(const volatile void* lock, bool shared) noexcept {
  if (!last_reference::is_away()) detector::instance().take(const_cast<const void*>(lock), shared);
}
void drop(const volatile void* lock) noexcept {
  if (!last_reference::is_away()) detector::instance().drop(const_cast<const void*>(lock));
}

// The threads of a pool have nothing to do.
bool is_called_by_heist() {
  void* calls[16];
  const int n = ::backtrace(calls, 16);
  for (int i = 0; i < n; ++i)
    if (checker::symbol_at(reinterpret_cast<std::uintptr_t>(calls[i]) - 1)
            .starts_with("heist::v0::detail::"))
      return true;
  return false;
}

}  // namespace

#define HEIST_TAKING(name, type, shared)        \
  HEIST_INTERPOSE(int, name, (type * lock)) {   \
    const int result = next_##name.get()(lock); \
    if (result == 0) take(lock, shared);        \
    return result;                              \
  }
HEIST_TAKING(pthread_mutex_lock, pthread_mutex_t, false)
HEIST_TAKING(pthread_mutex_trylock, pthread_mutex_t, false)
HEIST_TAKING(pthread_rwlock_rdlock, pthread_rwlock_t, true)
HEIST_TAKING(pthread_rwlock_tryrdlock, pthread_rwlock_t, true)
HEIST_TAKING(pthread_rwlock_wrlock, pthread_rwlock_t, false)
HEIST_TAKING(pthread_rwlock_trywrlock, pthread_rwlock_t, false)
HEIST_TAKING(pthread_spin_lock, volatile int, false)
HEIST_TAKING(pthread_spin_trylock, volatile int, false)

#define HEIST_DROPPING(name, type)            \
  HEIST_INTERPOSE(int, name, (type * lock)) { \
    drop(lock);                               \
    return next_##name.get()(lock);           \
  }
HEIST_DROPPING(pthread_mutex_unlock, pthread_mutex_t)
HEIST_DROPPING(pthread_rwlock_unlock, pthread_rwlock_t)
HEIST_DROPPING(pthread_spin_unlock, volatile int)

HEIST_INTERPOSE(int, __cxa_guard_acquire, (std::uint64_t * guard)) {
  const int is_ours = next___cxa_guard_acquire.get()(guard);
  if (is_ours != 0 && !last_reference::is_away()) detector::instance().begin_static();
  return is_ours;
}
HEIST_INTERPOSE(void, __cxa_guard_release, (std::uint64_t * guard)) {
  if (!last_reference::is_away()) detector::instance().end_static();
  next___cxa_guard_release.get()(guard);
}
HEIST_INTERPOSE(void, __cxa_guard_abort, (std::uint64_t * guard)) {
  if (!last_reference::is_away()) detector::instance().end_static();
  next___cxa_guard_abort.get()(guard);
}

// std::call_once calls it. What is made once is made as a lazy static is.
HEIST_INTERPOSE(int, pthread_once, (pthread_once_t * once, void (*function)())) {
  struct making {
    const bool is_seen = !last_reference::is_away();
    making() {
      if (is_seen) detector::instance().begin_static();
    }
    ~making() {
      if (is_seen) detector::instance().end_static();
    }
  } const now;
  return next_pthread_once.get()(once, function);
}

HEIST_INTERPOSE(int, pthread_create,
                (pthread_t * thread, const pthread_attr_t* how, void* (*function)(void*),
                 void* argument)) {
  const apart own;
  if (!is_called_by_heist()) reports::note_other_thread();
  return next_pthread_create.get()(thread, how, function, argument);
}

namespace {

// After all others, with the program's exit code, which stays if it says that something is wrong.
void end(int status, void*) noexcept {
  const int code = detector::instance().end();
  if (code <= 0 || status != 0) return;
  std::fflush(nullptr);
  ::_exit(code);
}

[[gnu::constructor(101)]] void begin() noexcept {
  if (::dlsym(RTLD_DEFAULT, "__tsan_testonly_barrier_init") != nullptr ||
      ::dlsym(RTLD_DEFAULT, "__tsan_get_current_report") != nullptr) {
    std::fputs(
        "heist: race: the program is linked with ThreadSanitizer's own library, too: link without "
        "-fsanitize=thread\n",
        stderr);
    std::_Exit(2);
  }
  reports::begin();
  ::setenv("HEIST_SERIAL", "1", 1);
  // So that reference counts are atomic, as they are in the parallel program.
  __libc_single_threaded = 0;
  detector::instance().begin();
  if (::on_exit(&end, nullptr) != 0) reports::give_up("no room for the exit handler", errno);
}

}  // namespace
}  // namespace heist::inline v0::race
