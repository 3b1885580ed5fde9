#include "arenas/contexts.hpp"

#include <bit>
#include <cstddef>
#include <new>
#include <utility>

#include "arenas/arena.hpp"
#include "arenas/participant.hpp"
#include "heist/detail/short_lock.hpp"
#include "parts/controls.hpp"
#include "parts/float_word.hpp"

namespace heist::inline v0::libtbb {

namespace {

// How many searches are under way.
constinit std::atomic<unsigned> searches{0};

constinit detail::short_lock lists_lock;
constinit context_list* all_lists = nullptr;
constinit context_list* unowned_lists = nullptr;

}  // namespace

context_list* context_list::acquire(deque::heavy_barrier_target owner) {
  context_list* one = nullptr;
  {
    const std::lock_guard held(lists_lock);
    if (unowned_lists != nullptr) {
      one = std::exchange(unowned_lists, unowned_lists->next_unowned);
    } else {
      one = new context_list;
      one->next = std::exchange(all_lists, one);
    }
  }
  one->lock.set_owner(owner);
  return one;
}

void context_list::release(context_list* list) noexcept {
  const std::lock_guard held(lists_lock);
  list->next_unowned = std::exchange(unowned_lists, list);
}

namespace {

void link(context_list& list, d1::intrusive_list_node& n) noexcept {
  n.my_prev_node = nullptr;
  n.my_next_node = list.first;
  if (list.first != nullptr) list.first->my_prev_node = &n;
  list.first = &n;
}

void unlink(context_list& list, d1::intrusive_list_node& n) noexcept {
  if (n.my_prev_node != nullptr)
    n.my_prev_node->my_next_node = n.my_next_node;
  else
    list.first = n.my_next_node;
  if (n.my_next_node != nullptr) n.my_next_node->my_prev_node = n.my_prev_node;
}

bool has_cancelled_ancestor(const task_group_context& c) noexcept {
  for (const task_group_context* a = context_access::parent(c); a != nullptr;
       a = context_access::parent(*a)) {
    if (context_access::is_cancelled(*a)) return true;
  }
  return false;
}

bool descends_from(const task_group_context& c, const task_group_context& source) noexcept {
  for (const task_group_context* a = context_access::parent(c); a != nullptr;
       a = context_access::parent(*a)) {
    if (a == &source) return true;
  }
  return false;
}

}  // namespace

}  // namespace heist::inline v0::libtbb

namespace tbb::detail::r1 {

using namespace heist::libtbb;

// The node's place in a context, which a program may only know through a member's address.
task_group_context_impl::context& task_group_context_impl::of(d1::intrusive_list_node& n) noexcept {
  alignas(context) std::byte anywhere[sizeof(context)];
  const auto& c = reinterpret_cast<const context&>(anywhere);
  const auto distance = reinterpret_cast<const std::byte*>(&c.my_node) - anywhere;
  return *reinterpret_cast<context*>(reinterpret_cast<std::byte*>(&n) - distance);
}

void task_group_context_impl::initialize(context& c) noexcept {
  c.my_cpu_ctl_env = 0;
  c.my_cancellation_requested.store(0, std::memory_order_relaxed);
  c.my_may_have_children.store(0, std::memory_order_relaxed);
  c.my_parent = nullptr;
  c.my_context_list = nullptr;
  c.my_node.my_prev_node = c.my_node.my_next_node = nullptr;
  c.my_exception.store(nullptr, std::memory_order_relaxed);
  c.my_itt_caller = nullptr;
  if (c.my_traits.fp_settings) capture_float_modes(c);
  // Relaxed, all of them: the program hands the context to other threads with orders of its own.
  c.my_state.store(context::state::created, std::memory_order_relaxed);
}

void task_group_context_impl::make_default(context& c) noexcept {
  capture_float_modes(c);
  c.my_state.store(context::state::isolated, std::memory_order_relaxed);  // relaxed: not yet shared
}

void task_group_context_impl::destroy(context& c) noexcept {
  if (heist::libtbb::context_list* const l = list(c)) {
    const participant* const me = current_participant;
    if (me != nullptr && me->contexts == l) {
      l->lock.lock_as_owner();
      unlink(*l, c.my_node);
      l->lock.unlock_as_owner();
    } else {
      const std::lock_guard held(l->lock);
      unlink(*l, c.my_node);
    }
  }
  // Relaxed, both: the group has ended, and its last wait has acquired it.
  delete c.my_exception.load(std::memory_order_relaxed);
  c.my_state.store(context::state::dead, std::memory_order_relaxed);
}

void task_group_context_impl::reset(context& c) noexcept {
  // Relaxed, all three: nobody else uses the group now.
  if (tbb_exception_ptr* const e = c.my_exception.load(std::memory_order_relaxed)) {
    c.my_exception.store(nullptr, std::memory_order_relaxed);
    delete e;
  }
  c.my_cancellation_requested.store(0, std::memory_order_relaxed);
}

bool task_group_context_impl::cancel(context& c) noexcept {
  // seq_cst: I1, before the locks; and one caller alone gets true.
  if (c.my_cancellation_requested.exchange(1, std::memory_order_seq_cst) != 0) return false;
  // Acquire: partner in inherit().
  if (c.my_may_have_children.load(std::memory_order_acquire) != 0) propagate(c);
  return true;
}

void task_group_context_impl::propagate(context& source) noexcept {
  searches.fetch_add(1, std::memory_order_seq_cst);  // before the first list; partner in inherit()
  heist::libtbb::context_list* l = nullptr;
  {
    const std::lock_guard held(lists_lock);
    l = all_lists;  // lists are added in front, and never removed
  }
  for (; l != nullptr; l = l->next) {
    const std::lock_guard held(l->lock);
    for (d1::intrusive_list_node* n = l->first; n != nullptr; n = n->my_next_node) {
      context& c = of(*n);
      // Relaxed: as is_cancelled().
      if (!is_cancelled(c) && descends_from(c, source))
        c.my_cancellation_requested.store(1, std::memory_order_relaxed);
    }
  }
  searches.fetch_sub(1,
                     std::memory_order_release);  // after what it has found; partner in inherit()
}

void task_group_context_impl::capture_float_modes(context& c) noexcept {
  c.my_cpu_ctl_env = float_word::now();
  c.my_traits.fp_settings = true;
}

// Not inlined: once for a context.
void task_group_context_impl::bind_first(context& c, participant& me) noexcept {
  auto seen = context::state::created;
  // Acquire: partner is the store below, of another thread that binds it.
  if (!c.my_state.compare_exchange_strong(seen, context::state::locked, std::memory_order_acquire,
                                          std::memory_order_acquire)) {
    while (c.my_state.load(std::memory_order_acquire) == context::state::locked) {
    }
    return;
  }
  const context* const parent = me.running->context;
  if (!c.my_traits.bound || parent == &me.in->default_context()) {
    // A parent that is never cancelled need not be known; only its floating-point modes count.
    c.my_traits.bound = false;
    c.my_parent = nullptr;
    if (!c.my_traits.fp_settings) {
      c.my_cpu_ctl_env = me.in->default_context().my_cpu_ctl_env;
      c.my_traits.fp_settings = true;
    }
    c.my_state.store(context::state::isolated, std::memory_order_release);
  } else {
    inherit(c, me);
    c.my_state.store(context::state::bound, std::memory_order_release);
  }
}

void task_group_context_impl::inherit(context& c, participant& me) noexcept {
  context& parent = *me.running->context;
  c.my_parent = &parent;
  if (!c.my_traits.fp_settings) {
    c.my_cpu_ctl_env = parent.my_cpu_ctl_env;
    c.my_traits.fp_settings = parent.my_traits.fp_settings;
  }
  set_list(c, me.contexts);
  biased_lock& lock = me.contexts->lock;
  lock.lock_as_owner();
  // seq_cst: before the look at the request, against cancel(), which raises the request first.
  if (parent.my_may_have_children.load(std::memory_order_relaxed) == 0)
    parent.my_may_have_children.store(1, std::memory_order_seq_cst);
  link(*me.contexts, c.my_node);
  // I2. Acquire: partner in propagate(). Relaxed: as is_cancelled().
  if (is_cancelled(parent) ||
      (searches.load(std::memory_order_acquire) != 0 && has_cancelled_ancestor(c)))
    c.my_cancellation_requested.store(1, std::memory_order_relaxed);
  lock.unlock_as_owner();
}

void task_group_context_impl::note_exception(context& c) noexcept {
  if (exceptions_terminate()) std::terminate();
  // Only what cancels the group is thrown again: after a cancellation, exceptions are lost.
  if (!cancel(c)) return;
  // Release: partner in rethrow().
  c.my_exception.store(new tbb_exception_ptr(std::current_exception()), std::memory_order_release);
}

void initialize(d1::task_group_context& c) { task_group_context_impl::initialize(c); }
void destroy(d1::task_group_context& c) { task_group_context_impl::destroy(c); }
void reset(d1::task_group_context& c) { task_group_context_impl::reset(c); }
bool cancel_group_execution(d1::task_group_context& c) {
  return task_group_context_impl::cancel(c);
}
bool is_group_execution_cancelled(d1::task_group_context& c) {
  return task_group_context_impl::is_cancelled(c);
}
void capture_fp_settings(d1::task_group_context& c) {
  task_group_context_impl::capture_float_modes(c);
}

}  // namespace tbb::detail::r1
