// Children that a scope pushes: a closure on the deque, which a thief or the scope's sync runs.
//
// The closure lies in the slot of its entry if it fits there, and moves without throwing; any other
// lies on the heap, and its address in the slot. The slot's function knows the closure's type and
// serves both the thief and the owner: `taken` is set by the one that runs the child when the slot
// is its own, after the steal or after the owner has taken the entry back.
//
// Invariants.
//   C1  The children of a scope that are on the deque lie at start_, start_ + 1, .., top_ - 1: only
//       the scope's own function pushes, and only when the head is top_. Any other spawn, from a
//       fork or from another scope's function with children of its own below, is a call. Nothing
//       pops what lies below start_ meanwhile (scope_floor), or a fork would come back to top_.
//   C2  When the scope's function returns or calls sync(), the head is top_: what lies above was
//       pushed by functions that it called, and each has joined its own. So the pops of sync() go
//       from top_ - 1 down to start_, and each finds its child the newest entry, or stolen, and
//       then the older ones are too.
//   C3  A child that the deque refuses begins at once, on a stack of its own if it can, and top_
//       stays below it: no sync() looks for it on the deque. Its slot keeps the mark of a refused
//       entry (D1 in src/runtime/core/fork_deque.hpp).
//   C4  A child is moved out of its slot before it is called, and top_ is lowered before that: what
//       it forks uses the slot again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "heist/detail/export.hpp"
#include "heist/detail/job.hpp"
#include "heist/detail/scope_state.hpp"

namespace heist::inline v0::detail {

// The payload of a pushed child's slot.
struct pushed_child {
  static constexpr std::uintptr_t taken = 1;
  static constexpr std::size_t closure_bytes = 24;

  std::uintptr_t scope;  // the address of its state; `taken` is added to it
  std::uint64_t key;
  alignas(job::payload_alignment) std::byte closure[closure_bytes];

  static pushed_child& of(job& slot) noexcept {
    return *std::launder(reinterpret_cast<pushed_child*>(slot.payload));
  }
};
static_assert(sizeof(pushed_child) == job::payload_bytes);
static_assert(alignof(scope_state) > pushed_child::taken);

// Whether a closure lies in the slot itself.
template <class F>
inline constexpr bool moves_safely =
    std::is_nothrow_move_constructible_v<F> && std::is_nothrow_destructible_v<F>;
template <class F>
inline constexpr bool pushed_in_slot =
    moves_safely<F> && sizeof(F) <= pushed_child::closure_bytes &&
    alignof(F) <= job::payload_alignment;

// What lies in the slot in place of a closure that doesn't fit.
template <class F>
class closure_on_heap {
 public:
  explicit closure_on_heap(F& closure) {
    memory there(std::allocator<F>().allocate(1));
    ::new (static_cast<void*>(there.get())) F(std::move(closure));
    there_.reset(there.release());
  }
  // Also throws what the closure's destructor throws.
  void operator()() && {
    const memory freed_last(there_.release());
    struct destroyer {
      F& f;
      ~destroyer() noexcept(std::is_nothrow_destructible_v<F>) { f.~F(); }
    } const destroyed_first{*freed_last};
    std::move (*freed_last)();
  }

 private:
  struct release {
    void operator()(F* f) const noexcept { std::allocator<F>().deallocate(f, 1); }
  };
  struct destroy_and_release {
    void operator()(F* f) const noexcept {
      f->~F();
      release()(f);
    }
  };
  using memory = std::unique_ptr<F, release>;

  std::unique_ptr<F, destroy_and_release> there_;
};

// A trivial closure is copied in the words in which it was stored before: a vector of words that
// are still on their way to memory would have to wait for them.
template <class F>
inline constexpr bool copied_in_words =
    std::is_trivially_copyable_v<F> && sizeof(F) % sizeof(std::uint64_t) == 0;

[[gnu::always_inline]] inline void copy_word(void* to, const void* from,
                                             std::size_t index) noexcept {
  const std::size_t offset = index * sizeof(std::uint64_t);
  std::uint64_t word;
  std::memcpy(&word, static_cast<const std::byte*>(from) + offset, sizeof(word));
  asm volatile("" : "+r"(word));  // the compiler joins no words
  std::memcpy(static_cast<std::byte*>(to) + offset, &word, sizeof(word));
}
template <std::size_t... Index>
[[gnu::always_inline]] inline void copy_words(void* to, const void* from,
                                              std::index_sequence<Index...>) noexcept {
  (copy_word(to, from, Index), ...);
}
template <class F>
using words_of = std::make_index_sequence<sizeof(F) / sizeof(std::uint64_t)>;

// Moves a closure to raw memory.
template <class F>
[[gnu::always_inline]] inline void relocate(F& closure, void* to) noexcept {
  if constexpr (copied_in_words<F> && !std::is_empty_v<F>)
    copy_words(to, __builtin_addressof(closure), words_of<F>{});
  else
    ::new (to) F(std::move(closure));
}

// Moves the closure away from a slot, which its own forks use again, and calls it.
template <class F>
[[gnu::always_inline]] inline void call_from_slot(std::byte* slot) {
  if constexpr (copied_in_words<F>) {
    alignas(F) std::byte copy[sizeof(F)];
    copy_words(copy, slot, words_of<F>{});
    std::move (*std::launder(reinterpret_cast<F*>(copy)))();
  } else {
    F& there = *std::launder(reinterpret_cast<F*>(slot));
    F f(std::move(there));
    there.~F();
    std::move(f)();
  }
}

// To be called when a thief has taken the child.
HEIST_API void run_stolen_child(job& slot) noexcept;

template <class F>
void run_pushed_child(job& slot) noexcept {
  pushed_child& child = pushed_child::of(slot);
  if ((child.scope & pushed_child::taken) == 0) [[unlikely]]
    return run_stolen_child(slot);
  struct {
    scope_state* scope;
    std::uint64_t key;
  } of{reinterpret_cast<scope_state*>(child.scope - pushed_child::taken), child.key};
  if (of.scope->may_skip_pushed() && of.scope->skip_pushed(of.key)) [[unlikely]] {
    std::launder(reinterpret_cast<F*>(child.closure))->~F();
    return;
  }
  // Only the handler needs them. In memory they take no registers that the function would have to
  // save and restore.
  asm volatile("" : "+m"(of));
  try {
    call_from_slot<F>(child.closure);
  } catch (...) {
    of.scope->pushed_threw(of.key);
  }
}

// Ends the program: a function without a place in the order used a reducer.
[[noreturn]] HEIST_API void refuse_views() noexcept;

inline void scope_state::take_over_slot(job& slot) noexcept {
  pushed_child::of(slot).scope = reinterpret_cast<std::uintptr_t>(this) + pushed_child::taken;
}

template <class F>
inline void scope_state::push(F& closure, wide_position h) {
  static_assert(pushed_in_slot<F>);
  job& slot = hot_path::slot(h);
  slot.run = &run_pushed_child<F>;
  auto* const child = ::new (static_cast<void*>(slot.payload)) pushed_child;
  child->scope = reinterpret_cast<std::uintptr_t>(this);
  child->key = use_key();
  relocate(closure, child->closure);
  top_ = h + static_cast<wide_position>(sizeof(job));
  hot_path::publish(h);
  if (hot_path::asked(h)) [[unlikely]]
    push_unusual<F>(h);
}

template <class F>
inline bool scope_state::push_usual(F& closure) {
  const worker_front* const w = this_worker_front();
  const wide_position h = hot_path::depth();
  if (w == nullptr || w->current.get() != owner_ || h != top_) return false;
  push(closure, h);
  return true;
}

inline void scope_state::run_pushed() {
  if (top_ == start_) return;
  const fiber_front& me = front_of(static_cast<fiber*>(const_cast<void*>(owner_)));
  if (me.views != nullptr) [[unlikely]]
    return run_pushed_apart();
  do {
    if (hot_path::asked(top_)) [[unlikely]]
      look_at_entry();
    const wide_position h = top_ - static_cast<wide_position>(sizeof(job));
    top_ = h;
    if (!hot_path::take_private(h)) [[unlikely]] {
      run_public_pushed();
      continue;
    }
    job& slot = hot_path::slot(h);
    take_over_slot(slot);
    slot.run(slot);
    if (me.views != nullptr) [[unlikely]]
      refuse_views();
  } while (top_ != start_);
}

template <unsigned usual>
inline void scope_state::sync(void* thrown) {
  if constexpr ((usual & pushes_children) != 0) run_pushed();
  // Acquire: partner is child_ended.
  if (word_.load(std::memory_order_acquire) != usual || thrown != nullptr) [[unlikely]]
    sync_slow(thrown);
}

}  // namespace heist::inline v0::detail
