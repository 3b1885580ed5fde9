// What a task_scope holds: its children's count, flags and exceptions, and the usual spawn.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <new>
#include <type_traits>

#include "heist/detail/export.hpp"
#include "heist/detail/job.hpp"
#include "heist/detail/spawn_path.hpp"
#include "heist/detail/stopping.hpp"

namespace heist::inline v0 {

class task_scope;

namespace detail {

struct root_family;
struct worker;

// A child that begins when the pool has a stack for it, or at its scope's sync: on the heap.
struct late_child;

// Moves the closure and calls it; throws what it throws.
using closure_function = void (*)(void* closure);
// Moves the closure to the heap; throws what the move throws. nullptr: there is no memory, and
// nothing was moved.
using keep_function = late_child* (*)(void* closure, root_family& late);
// What the library calls for a closure whose type it doesn't know.
struct spawn_functions {
  child_function run_child;
  closure_function call;
  keep_function to_heap;
};

// What a scope under a stop condition has besides.
struct scope_watch {
  const stop_poll stop;                   // asked before each child
  std::atomic<std::uint64_t> spawned{0};  // children
};

class scope_state {
 public:
  // The flags in word_.
  static constexpr unsigned has_failed = 1;  // a child has thrown
  static constexpr unsigned stopped = 2;     // request_stop() was called
  static constexpr unsigned cut_off = 4;     // a child was skipped because of watch_
  static constexpr unsigned has_deposits = 8;
  static constexpr unsigned busy = 16;             // a lock bit, which is held
  static constexpr unsigned pushes_children = 32;  // children are pushed, whatever the pool does
  static constexpr unsigned has_pushed = 64;
  static constexpr unsigned flags_of_pushes = pushes_children | has_pushed;
  static constexpr unsigned watched = 128;      // watch_ exists
  static constexpr unsigned has_skipped = 256;  // skipped_ exists
  static constexpr unsigned measured = 512;     // sync() has to report its end (strands.hpp)
  static constexpr unsigned has_late = 1024;    // late_ exists

  scope_state(const void* owner, unsigned flags, scope_watch* watch) noexcept
      : owner_(owner), start_(hot_path::depth()), word_(flags) {
    if ((flags & watched) != 0) watch_ = watch;
    if ((flags & pushes_children) != 0) top_ = start_;
  }
  scope_state(const scope_state&) = delete;
  scope_state& operator=(const scope_state&) = delete;
  ~scope_state() {}  // sync() has destroyed what is made late

  [[nodiscard]] unsigned flags() const noexcept {
    return static_cast<unsigned>(word_.load(std::memory_order_relaxed));
  }
  // Runs the closure as a child, if nothing about it is unusual. Only if no flag is set.
  [[nodiscard, gnu::always_inline]] bool spawn_usual(child_function run, void* closure);
  // Runs the closure in any case, unless a child has thrown or a stop was requested. False: the
  // caller must push it.
  [[nodiscard]] HEIST_API bool spawn(const spawn_functions& functions, void* closure);
  // Pushes the closure, if this is the scope's own function. Only if no flag but those of a push is
  // set.
  template <class F>
  [[nodiscard, gnu::always_inline]] bool push_usual(F& closure);
  // Pushes the closure at the position h, the deque's head. Where the deque is full the child
  // begins at once, as in a scope of the default kind.
  template <class F>
  [[gnu::always_inline]] void push(F& closure, wide_position h);

  // Returns when all children have ended. `thrown` is the exception of the owner, or nullptr.
  // Throws the child's exception that a serial run would have met first, else `thrown`. `usual`:
  // the flags that are set unless something unusual has happened.
  template <unsigned usual = 0>
  [[gnu::always_inline]] void sync(void* thrown = nullptr);

  // The flags are relaxed: spawn() may see one late, and sync() has its own order.
  void request_stop() noexcept { word_.fetch_or(stopped, std::memory_order_relaxed); }
  [[nodiscard]] bool stop_requested() const noexcept {
    const unsigned now = flags();
    return (now & stopped) != 0 || ((now & watched) != 0 && watch_->stop.stop_requested());
  }
  [[nodiscard]] std::uint64_t skipped() const noexcept {
    // Acquire: partner is the release with which its maker gave the lock back.
    if ((word_.load(std::memory_order_acquire) & has_skipped) == 0) return 0;
    return skipped_.load(std::memory_order_relaxed);
  }

  // ---- For spawn.cpp and pushed_child.hpp.
  class keeping;
  // To be called by the one that runs a pushed child, once its slot is the caller's.
  void take_over_slot(job& slot) noexcept;
  [[nodiscard]] bool pushes() const noexcept { return (flags() & pushes_children) != 0; }
  // Whether a child that was pushed may have to be skipped.
  [[nodiscard]] bool may_skip_pushed() const noexcept { return (flags() & ~flags_of_pushes) != 0; }
  // True if a child that was pushed and hasn't begun must be skipped, as in skip_spawned().
  [[nodiscard]] HEIST_API bool skip_pushed(std::uint64_t key) noexcept;
  // To be called when a late child has run: gives up its views, and counts it out.
  HEIST_API void late_child_ended(std::uint64_t key) noexcept;
  // Called inside a handler: keeps the exception of a pushed child.
  HEIST_API void pushed_threw(std::uint64_t key) noexcept;
  void keep(std::uint64_t key, std::exception_ptr exception) noexcept;
  void deposit(std::uint64_t key, view_node* views) noexcept;
  // The key of the children that were spawned by others than the scope's own function.
  static constexpr std::uint64_t foreign_key = ~std::uint64_t{0};
  [[nodiscard]] std::uint64_t key_of(const spawned& child) const noexcept {
    return child.spawner == owner_ ? child.key : foreign_key;
  }
  // Makes the next key; returns the one before.
  std::uint64_t use_key() noexcept {
    const std::uint64_t key = next_key_.load(std::memory_order_relaxed);
    next_key_.store(key + 1, std::memory_order_relaxed);
    return key;
  }
  // A thief is about to resume that spawner: counts its child.
  void spawner_stolen(const fiber* spawner) noexcept;
  void count_child() noexcept;
  void remove_child() noexcept;
  // Spawns and sync() call the library from now on. Relaxed: the owner alone looks at it.
  void note_measured() noexcept { word_.fetch_or(measured, std::memory_order_relaxed); }
  void child_ended() noexcept;

 private:
  // Writes the spawner's entry and what the child knows.
  [[gnu::always_inline]] void prepare(fiber* spawner, fiber* child, wide_position h);
  HEIST_API void sync_slow(void* thrown);
  // Runs the children on the deque that nobody has stolen, the newest first.
  [[gnu::always_inline]] void run_pushed();
  // The same while the owner has views of reducers, which are put aside.
  HEIST_API void run_pushed_apart() noexcept;
  // Runs the newest child, unless it was stolen; then waits for its end.
  HEIST_API void run_public_pushed() noexcept;
  // Runs a child that was taken back, with the owner's views put aside.
  void run_apart(job& slot) noexcept;
  void run_measured_pushed() noexcept;
  // Completes a push that found a request, a full deque or a deque of another kind.
  template <class F>
  void push_unusual(wide_position h);
  // False: the deque has no place for the child, whose closure is the caller's again.
  [[nodiscard]] HEIST_API bool push_slow(wide_position h) noexcept;
  // Runs that child as in a scope of the default kind.
  HEIST_API void run_refused(const spawn_functions& functions, void* closure) noexcept;
  void merge_deposits() noexcept;
  // Where the owner's next push lies.
  [[nodiscard]] wide_position place_of_push(unsigned flags) const noexcept {
    return (flags & flags_of_pushes) != 0 ? top_ : start_;
  }
  void clear(unsigned flag) noexcept;
  void count_skipped() noexcept;
  // If a stop was requested, counts a child as skipped and returns true.
  bool skip_if_stopped(unsigned flags) noexcept;
  // Counts a child that is spawned now, where a stop condition needs the count. True if the child
  // must be skipped, because of a stop or of an exception; one that a stop skips is counted.
  bool skip_spawned(unsigned flags) noexcept;
  // Begins a child on that fiber, as a call below which the rest of its spawner lies on the deque.
  void begin_on(worker& w, fiber* child, child_function run, void* closure) noexcept;
  // Leaves a child to the pool's queue, for want of a stack. False: there is no memory for it.
  [[nodiscard]] bool begin_later(worker& w, keep_function to_heap, void* closure);
  [[nodiscard]] root_family* late_children() noexcept;
  // Runs the late children that nobody has begun.
  void run_late() noexcept;
  // Runs a child on the spawner's stack, as a call.
  void call(closure_function call_it, void* closure, std::uint64_t key) noexcept;

  // Added to word_ for each child whose spawner was stolen and that hasn't ended.
  static constexpr std::uint64_t one_child = std::uint64_t{1} << 32;
  // Added to word_ while the owner waits.
  static constexpr std::uint64_t owner_waits = std::uint64_t{1} << 62;
  // A counted child ends. True if it is the one for which the owner waits: then settle state_.
  [[nodiscard]] bool ends_the_wait() noexcept;
  static std::uint64_t children_in(std::uint64_t word) noexcept { return word / one_child; }

  const void* const owner_;    // the fiber that runs the scope's function, see scope_owner
  const wide_position start_;  // the owner's depth
  // The owner's floating-point control words at its first spawn, as the image of a suspended
  // context begins; 0: not known. Storing MXCSR takes 16 cycles on a Zen 5, storing the x87 control
  // word two. So a spawn stores MXCSR anew only if the x87 word has changed, as it does with
  // fesetround(), fesetenv() and feenableexcept().
  std::uint64_t float_modes_ = 0;
  // The key of the owner's next child. A child that is pushed raises it; one that begins at once
  // doesn't, but the thief that resumes the owner does. So of the children that may throw, or leave
  // views, while others run, each has a key of its own, and they are in the order of the program.
  // Written by the owner, or while the owner is suspended; relaxed, since any spawner reads it.
  std::atomic<std::uint64_t> next_key_{0};
  // The flags, and from bit 32 on the count of children whose spawner was stolen and that haven't
  // ended. 0: sync() has nothing to do.
  std::atomic<std::uint64_t> word_;

  // These are made late, each by the thread that needs it first: a scope costs a store for each
  // member that it initialises.
  struct first_thrown {
    std::uint64_t key;
    std::exception_ptr exception;
  };
  union {
    // Exists while the owner waits. Settled by the thread that takes the last child off word_.
    rendezvous state_;
  };
  union {
    // With has_failed: the child's exception that came first in the program. Guarded by busy.
    first_thrown first_;
  };
  union {
    // With watched.
    scope_watch* watch_;
  };
  union {
    // With pushes_children or has_pushed: children on the deque lie from start_ to below it.
    wide_position top_;
  };
  union {
    // With has_skipped: children that were skipped because of a stop.
    std::atomic<std::uint64_t> skipped_;
  };
  union {
    // With has_late: all of them, on the heap.
    root_family* late_;
  };
  union {
    // With has_deposits: reducers' views (src/runtime/work/views.hpp), the newest child's first.
    // Guarded by busy.
    view_node* deposits_;
  };
};

// Declared here, since task_scope names it as a friend.
template <unsigned Flags, class F>
auto run_scope(scope_watch* watch, F&& f) -> std::invoke_result_t<F, task_scope&>;

}  // namespace detail

}  // namespace heist::inline v0
