// The pools that this process has at the moment, for reports about all of them.
//
// A list under a process_mutex. A child of fork() begins with an empty list, since the parent's
// pools have no threads there.
#pragma once

namespace heist::inline v0::detail {

class pool_impl;
struct debug_access;

class live_pools {
 public:
  // A part of each pool.
  struct entry {
    pool_impl& pool;
    entry* next = nullptr;  // guarded by the lock
  };

  // To be called before anything in the pool runs.
  static void add(entry& e) noexcept;
  // To be called while all of the pool's threads exist: a visitor reads what lies in their memory.
  static void remove(entry& e) noexcept;

  // Calls visit(pool) for each, the newest first; meanwhile no pool begins or ends.
  template <class Visit>
  static void for_each(Visit&& visit) {
    const holding hold;
    for (const entry* e = first_; e != nullptr; e = e->next) visit(e->pool);
  }

 private:
  friend struct debug_access;
  struct holding {
    holding() noexcept { lock(); }
    ~holding() { unlock(); }
    holding(const holding&) = delete;
    holding& operator=(const holding&) = delete;
  };
  static void lock() noexcept;
  static void unlock() noexcept;

  static entry* first_;  // guarded by the lock
};

}  // namespace heist::inline v0::detail
