// The functions that lock and unlock.
#include <pthread.h>
#include <time.h>

#include "checker/interpose.hpp"

namespace heist::inline v0::checker {

namespace {

constexpr const char* mutex_name = "std::mutex or pthread_mutex_t";
constexpr const char* shared_name = "std::shared_mutex or pthread_rwlock_t";
constexpr const char* spin_name = "pthread_spinlock_t";

}  // namespace

// One that takes a lock, or fails with an error.
#define HEIST_INTERPOSE_LOCK(name, try_name, kind, type)                         \
  HEIST_INTERPOSE(int, try_name, (type * lock)) {                                \
    const int error = next_##try_name.get()(lock);                               \
    if (error == 0) flow::current().acquired(lock, kind);                        \
    return error;                                                                \
  }                                                                              \
  HEIST_INTERPOSE(int, name, (type * lock)) {                                    \
    int error = next_##try_name.get()(lock);                                     \
    if (error == EBUSY || error == EAGAIN) {                                     \
      const blocked during(#name);                                               \
      error = next_##name.get()(lock);                                           \
    }                                                                            \
    if (error == 0 || error == EOWNERDEAD) flow::current().acquired(lock, kind); \
    return error;                                                                \
  }
#define HEIST_INTERPOSE_TIMED_LOCK(name, kind, parameters, arguments) \
  HEIST_INTERPOSE(int, name, parameters) {                            \
    int error = 0;                                                    \
    {                                                                 \
      const blocked during(#name);                                    \
      error = next_##name.get() arguments;                            \
    }                                                                 \
    if (error == 0) flow::current().acquired(lock, kind);             \
    return error;                                                     \
  }
#define HEIST_INTERPOSE_UNLOCK(name, type)    \
  HEIST_INTERPOSE(int, name, (type * lock)) { \
    flow::current().released(lock);           \
    return next_##name.get()(lock);           \
  }

HEIST_INTERPOSE_LOCK(pthread_mutex_lock, pthread_mutex_trylock, mutex_name, pthread_mutex_t)
HEIST_INTERPOSE_TIMED_LOCK(pthread_mutex_timedlock, mutex_name,
                           (pthread_mutex_t * lock, const timespec* end), (lock, end))
HEIST_INTERPOSE_TIMED_LOCK(pthread_mutex_clocklock, mutex_name,
                           (pthread_mutex_t * lock, clockid_t clock, const timespec* end),
                           (lock, clock, end))
HEIST_INTERPOSE_UNLOCK(pthread_mutex_unlock, pthread_mutex_t)

HEIST_INTERPOSE_LOCK(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, shared_name, pthread_rwlock_t)
HEIST_INTERPOSE_LOCK(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, shared_name, pthread_rwlock_t)
HEIST_INTERPOSE_TIMED_LOCK(pthread_rwlock_timedrdlock, shared_name,
                           (pthread_rwlock_t * lock, const timespec* end), (lock, end))
HEIST_INTERPOSE_TIMED_LOCK(pthread_rwlock_timedwrlock, shared_name,
                           (pthread_rwlock_t * lock, const timespec* end), (lock, end))
HEIST_INTERPOSE_TIMED_LOCK(pthread_rwlock_clockrdlock, shared_name,
                           (pthread_rwlock_t * lock, clockid_t clock, const timespec* end),
                           (lock, clock, end))
HEIST_INTERPOSE_TIMED_LOCK(pthread_rwlock_clockwrlock, shared_name,
                           (pthread_rwlock_t * lock, clockid_t clock, const timespec* end),
                           (lock, clock, end))
HEIST_INTERPOSE_UNLOCK(pthread_rwlock_unlock, pthread_rwlock_t)

HEIST_INTERPOSE_LOCK(pthread_spin_lock, pthread_spin_trylock, spin_name, pthread_spinlock_t)
HEIST_INTERPOSE_UNLOCK(pthread_spin_unlock, pthread_spinlock_t)

}  // namespace heist::inline v0::checker
