// speculative_spin_mutex and speculative_spin_rw_mutex, without speculation: they are taken as the
// spin mutexes that they are made of. Processors that can still elide locks are few, and what a
// program may rely on is the same.
#include "parts/abi.hpp"

namespace tbb::detail::r1 {

struct rtm_mutex_impl {
  using mutex = d1::rtm_mutex;
  using scoped_lock = mutex::scoped_lock;

  static void enter(mutex& m, scoped_lock& s) {
    m.lock();
    take(m, s);
  }
  static bool try_enter(mutex& m, scoped_lock& s) {
    if (!m.try_lock()) return false;
    take(m, s);
    return true;
  }
  static void leave(scoped_lock& s) {
    mutex& m = *s.m_mutex;
    s.m_mutex = nullptr;
    s.m_transaction_state = mutex::rtm_state::rtm_none;
    m.unlock();
  }

 private:
  static void take(mutex& m, scoped_lock& s) {
    s.m_mutex = &m;
    s.m_transaction_state = mutex::rtm_state::rtm_real;
  }
};

struct rtm_rw_mutex_impl {
  using mutex = d1::rtm_rw_mutex;
  using scoped_lock = mutex::scoped_lock;
  using type = mutex::rtm_type;

  static void enter(mutex& m, scoped_lock& s, type as) {
    if (as == type::rtm_real_writer)
      m.lock();
    else
      m.lock_shared();
    take(m, s, as);
  }
  static bool try_enter(mutex& m, scoped_lock& s, type as) {
    if (!(as == type::rtm_real_writer ? m.try_lock() : m.try_lock_shared())) return false;
    take(m, s, as);
    return true;
  }
  static void leave(scoped_lock& s) {
    mutex& m = *s.m_mutex;
    const bool is_writer = s.m_transaction_state == type::rtm_real_writer;
    s.m_mutex = nullptr;
    s.m_transaction_state = type::rtm_not_in_mutex;
    if (is_writer)
      m.unlock();
    else
      m.unlock_shared();
  }
  static bool upgrade(scoped_lock& s) {
    s.m_transaction_state = type::rtm_real_writer;
    return s.m_mutex->upgrade();
  }
  static bool downgrade(scoped_lock& s) {
    s.m_transaction_state = type::rtm_real_reader;
    s.m_mutex->downgrade();
    return true;
  }
  static constexpr type writer = type::rtm_real_writer;
  static constexpr type reader = type::rtm_real_reader;

 private:
  static void take(mutex& m, scoped_lock& s, type as) {
    s.m_mutex = &m;
    s.m_transaction_state = as;
  }
};

void acquire(d1::rtm_mutex& m, d1::rtm_mutex::scoped_lock& s, bool) { rtm_mutex_impl::enter(m, s); }
bool try_acquire(d1::rtm_mutex& m, d1::rtm_mutex::scoped_lock& s) {
  return rtm_mutex_impl::try_enter(m, s);
}
void release(d1::rtm_mutex::scoped_lock& s) { rtm_mutex_impl::leave(s); }

void acquire_writer(d1::rtm_rw_mutex& m, d1::rtm_rw_mutex::scoped_lock& s, bool) {
  rtm_rw_mutex_impl::enter(m, s, rtm_rw_mutex_impl::writer);
}
void acquire_reader(d1::rtm_rw_mutex& m, d1::rtm_rw_mutex::scoped_lock& s, bool) {
  rtm_rw_mutex_impl::enter(m, s, rtm_rw_mutex_impl::reader);
}
bool try_acquire_writer(d1::rtm_rw_mutex& m, d1::rtm_rw_mutex::scoped_lock& s) {
  return rtm_rw_mutex_impl::try_enter(m, s, rtm_rw_mutex_impl::writer);
}
bool try_acquire_reader(d1::rtm_rw_mutex& m, d1::rtm_rw_mutex::scoped_lock& s) {
  return rtm_rw_mutex_impl::try_enter(m, s, rtm_rw_mutex_impl::reader);
}
bool upgrade(d1::rtm_rw_mutex::scoped_lock& s) { return rtm_rw_mutex_impl::upgrade(s); }
bool downgrade(d1::rtm_rw_mutex::scoped_lock& s) { return rtm_rw_mutex_impl::downgrade(s); }
void release(d1::rtm_rw_mutex::scoped_lock& s) { rtm_rw_mutex_impl::leave(s); }

}  // namespace tbb::detail::r1
