// queuing_rw_mutex: readers and writers in the order in which they came.
//
// The locks of a mutex form a ring, the first one after the last, to which q_tail points. The ring
// is guarded by one of a few spin locks of the process, chosen by the mutex' address. The one that
// changes the ring passes the mutex on: to the readers at its front, or to a writer that is alone
// there. A waiter looks at a word of its own.
//
// The original keeps its queue without a guard. The guard is held for a few instructions; a mutex
// that threads fight over pays about the same.
#include <array>
#include <cstdint>
#include <mutex>
#include <thread>

#include "heist/detail/short_lock.hpp"
#include "parts/abi.hpp"
#include "platform/cpu.hpp"

namespace tbb::detail::r1 {

struct queuing_rw_mutex_impl {
  using mutex = d1::queuing_rw_mutex;
  using scoped_lock = mutex::scoped_lock;

  enum state : unsigned char { waiting_writer, waiting_reader, upgrading, writer, reader };

  static heist::v0::detail::short_lock& guard(const mutex& m) noexcept {
    static constinit std::array<heist::v0::detail::short_lock, 64> guards;
    return guards[(reinterpret_cast<std::uintptr_t>(&m) >> 6) % guards.size()];
  }

  static void enter(mutex& m, scoped_lock& s, bool write) noexcept {
    s.my_mutex = &m;
    {
      const std::lock_guard held(guard(m));
      append(m, s, write);
      pass_on(m);
    }
    wait(s);
  }

  static bool try_enter(mutex& m, scoped_lock& s, bool write) noexcept {
    const std::lock_guard held(guard(m));
    for (scoped_lock* other = first(m); other != nullptr; other = after(m, *other))
      if (write || state_of(*other) != reader) return false;
    s.my_mutex = &m;
    append(m, s, write);
    pass_on(m);
    return true;
  }

  static void leave(scoped_lock& s) noexcept {
    mutex& m = *s.my_mutex;
    {
      const std::lock_guard held(guard(m));
      remove(m, s);
      pass_on(m);
    }
    s.my_mutex = nullptr;
  }

  // true: no other writer came in between.
  static bool upgrade(scoped_lock& s) noexcept {
    mutex& m = *s.my_mutex;
    bool is_first_upgrade = true;
    {
      const std::lock_guard held(guard(m));
      if (state_of(s) == writer) return true;
      for (scoped_lock* other = first(m); other != nullptr; other = after(m, *other))
        if (other != &s && state_of(*other) == upgrading) is_first_upgrade = false;
      s.my_going.store(0, std::memory_order_relaxed);  // relaxed: under the guard
      remove(m, s);
      if (is_first_upgrade)
        insert_after_readers(m, s);
      else
        append(m, s, true);
      pass_on(m);
    }
    wait(s);
    return is_first_upgrade;
  }

  static void downgrade(scoped_lock& s) noexcept {
    mutex& m = *s.my_mutex;
    const std::lock_guard held(guard(m));
    set(s, reader);
    pass_on(m);
  }

  static bool is_writer(const scoped_lock& s) noexcept {
    // Relaxed: the caller holds the lock.
    return s.my_state.load(std::memory_order_relaxed) == writer;
  }

 private:
  // All of this under the guard, which orders it: every access is relaxed.
  static constexpr auto relaxed = std::memory_order_relaxed;

  static scoped_lock* next(const scoped_lock& s) noexcept {
    return reinterpret_cast<scoped_lock*>(s.my_next.load(relaxed));
  }
  static scoped_lock* previous(const scoped_lock& s) noexcept {
    return reinterpret_cast<scoped_lock*>(s.my_prev.load(relaxed));
  }
  static void link(scoped_lock& a, scoped_lock& b) noexcept {
    a.my_next.store(reinterpret_cast<std::uintptr_t>(&b), relaxed);
    b.my_prev.store(reinterpret_cast<std::uintptr_t>(&a), relaxed);
  }
  static scoped_lock* first(const mutex& m) noexcept {
    scoped_lock* const last = m.q_tail.load(relaxed);
    return last != nullptr ? next(*last) : nullptr;
  }
  static scoped_lock* after(const mutex& m, const scoped_lock& s) noexcept {
    return m.q_tail.load(relaxed) != &s ? next(s) : nullptr;
  }
  static state state_of(const scoped_lock& s) noexcept {
    return static_cast<state>(s.my_state.load(relaxed));
  }
  static void set(scoped_lock& s, state to) noexcept { s.my_state.store(to, relaxed); }

  static void append(mutex& m, scoped_lock& s, bool write) noexcept {
    set(s, write ? waiting_writer : waiting_reader);
    s.my_going.store(0, relaxed);
    if (scoped_lock* const last = m.q_tail.load(relaxed)) {
      link(s, *next(*last));
      link(*last, s);
    } else {
      link(s, s);
    }
    m.q_tail.store(&s, relaxed);
  }

  // Behind the active readers, before all who wait.
  static void insert_after_readers(mutex& m, scoped_lock& s) noexcept {
    scoped_lock* at = first(m);
    while (at != nullptr && state_of(*at) == reader) at = after(m, *at);
    if (at == nullptr) {
      append(m, s, true);
    } else {
      scoped_lock& before = *previous(*at);
      link(before, s);
      link(s, *at);
    }
    set(s, upgrading);
  }

  static void remove(mutex& m, scoped_lock& s) noexcept {
    if (next(s) == &s) {
      m.q_tail.store(nullptr, relaxed);
      return;
    }
    if (m.q_tail.load(relaxed) == &s) m.q_tail.store(previous(s), relaxed);
    link(*previous(s), *next(s));
  }

  static void pass_on(mutex& m) noexcept {
    scoped_lock* s = first(m);
    if (s == nullptr) return;
    const state front = state_of(*s);
    if (front == waiting_writer || front == upgrading) return go(*s, writer);
    for (; s != nullptr; s = after(m, *s)) {
      if (state_of(*s) == waiting_reader)
        go(*s, reader);
      else if (state_of(*s) != reader)
        return;
    }
  }

  static void go(scoped_lock& s, state as) noexcept {
    set(s, as);
    s.my_going.store(1, std::memory_order_release);  // partner in wait()
  }

  static void wait(scoped_lock& s) noexcept {
    // Acquire: partner in go(); what the last holder did, which it did before it took the guard.
    for (unsigned round = 0; s.my_going.load(std::memory_order_acquire) == 0; ++round) {
      if (round < 64)
        heist::v0::platform::pause();
      else
        std::this_thread::yield();
    }
  }
};

void acquire(d1::queuing_rw_mutex& m, d1::queuing_rw_mutex::scoped_lock& s, bool write) {
  queuing_rw_mutex_impl::enter(m, s, write);
}
bool try_acquire(d1::queuing_rw_mutex& m, d1::queuing_rw_mutex::scoped_lock& s, bool write) {
  return queuing_rw_mutex_impl::try_enter(m, s, write);
}
void release(d1::queuing_rw_mutex::scoped_lock& s) { queuing_rw_mutex_impl::leave(s); }
bool upgrade_to_writer(d1::queuing_rw_mutex::scoped_lock& s) {
  return queuing_rw_mutex_impl::upgrade(s);
}
bool downgrade_to_reader(d1::queuing_rw_mutex::scoped_lock& s) {
  if (queuing_rw_mutex_impl::is_writer(s)) queuing_rw_mutex_impl::downgrade(s);
  return true;
}
bool is_writer(const d1::queuing_rw_mutex::scoped_lock& s) {
  return queuing_rw_mutex_impl::is_writer(s);
}

// Only here are mutexes of older programs constructed in the library.
[[gnu::visibility("default")]] void construct(d1::queuing_rw_mutex&) {}

}  // namespace tbb::detail::r1
