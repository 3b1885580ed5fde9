// Groups of tasks that are cancelled together: task_group_context.
//
// A context is bound to the one in which its first task is spawned, its parent. Who cancels a
// context cancels all that are bound to it, directly or not. A bound context lies in a list of the
// thread that bound it, so that cancellation finds it.
//
// Invariants.
//   I1  my_cancellation_requested is raised before the lists are searched; a list is searched, and
//       a context added to it, under the list's lock.
//   I2  A context that is added looks at its parent, and while a search is under way at all its
//       ancestors, under that lock. So if the search has missed it, because its list was searched
//       before, it sees the request itself. A search that has ended has found the parent.
//   I3  A context is taken out of its list before it ends, and its parent ends after it.
//
// my_exception holds the first exception of a group until reset() or the context's end. Any thread
// that waits for the group throws it.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>

#include "parts/abi.hpp"
#include "parts/biased_lock.hpp"

namespace heist::inline v0::libtbb {
struct participant;
struct context_list;
}  // namespace heist::inline v0::libtbb

namespace tbb::detail::r1 {

class tbb_exception_ptr {
 public:
  explicit tbb_exception_ptr(std::exception_ptr e) noexcept : thrown(std::move(e)) {}
  std::exception_ptr thrown;
};

class context_list {};  // the type that the header names; the real one is heist's

struct task_group_context_impl {
  using context = d1::task_group_context;

  static void initialize(context& c) noexcept;
  static void destroy(context& c) noexcept;
  static void reset(context& c) noexcept;
  static bool cancel(context& c) noexcept;
  static void capture_float_modes(context& c) noexcept;
  // Before a task of it is spawned or run.
  static void bind(context& c, heist::v0::libtbb::participant& me) noexcept {
    // Acquire: partner in bind_first(). The other fields are read after it.
    const context::state s = c.my_state.load(std::memory_order_acquire);
    if (s == context::state::created || s == context::state::locked) [[unlikely]]
      bind_first(c, me);
  }
  // An arena's own, with the caller's floating-point modes.
  static void make_default(context& c) noexcept;

  // Relaxed: cancellation is a wish, and carries nothing.
  [[nodiscard]] static bool is_cancelled(const context& c) noexcept {
    return c.my_cancellation_requested.load(std::memory_order_relaxed) != 0;
  }
  // Inside a handler: keeps the exception that is handled, if it is the group's first, and cancels
  // the group.
  static void note_exception(context& c) noexcept;
  // After a wait.
  static void rethrow(context& c) {
    // Acquire: partner in note_exception().
    if (tbb_exception_ptr* const e = c.my_exception.load(std::memory_order_acquire)) [[unlikely]]
      std::rethrow_exception(e->thrown);
  }
  // Floating-point modes that its tasks run with, as one word; 0: none were captured.
  [[nodiscard]] static std::uint64_t float_modes(const context& c) noexcept {
    return c.my_traits.fp_settings ? c.my_cpu_ctl_env : 0;
  }

  static heist::v0::libtbb::context_list* list(const context& c) noexcept {
    return reinterpret_cast<heist::v0::libtbb::context_list*>(c.my_context_list);
  }
  static void set_list(context& c, heist::v0::libtbb::context_list* l) noexcept {
    c.my_context_list = reinterpret_cast<r1::context_list*>(l);
  }
  static d1::intrusive_list_node& node(context& c) noexcept { return c.my_node; }
  static context& of(d1::intrusive_list_node& n) noexcept;
  [[nodiscard]] static context* parent(const context& c) noexcept {
    return c.my_traits.bound ? c.my_parent : nullptr;
  }

 private:
  static void bind_first(context& c, heist::v0::libtbb::participant& me) noexcept;
  static void inherit(context& c, heist::v0::libtbb::participant& me) noexcept;
  static void propagate(context& source) noexcept;
};

}  // namespace tbb::detail::r1

namespace heist::inline v0::libtbb {

using context_access = r1::task_group_context_impl;

// The contexts that a thread has bound. Lists are never freed, since their contexts may outlive the
// thread; the next new thread takes one over.
struct context_list {
  static context_list* acquire(deque::heavy_barrier_target owner);
  static void release(context_list* list) noexcept;

  biased_lock lock;  // of the thread that has the list
  d1::intrusive_list_node* first = nullptr;
  context_list* next_unowned = nullptr;
  context_list* next = nullptr;  // among all
};

}  // namespace heist::inline v0::libtbb
