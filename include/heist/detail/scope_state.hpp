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

// What the library calls for a closure whose type it doesn't know.
struct spawn_functions {
  child_function run_child;
  void (*call)(void* closure);  // moves the closure and calls it; throws what it throws
};

// Calls the closure if `call` is true, and deletes it in any case.
using pushed_function = void (*)(void* closure, bool call);

// What a scope under a stop condition has besides.
struct scope_watch {
  const stop_poll stop;                   // asked before each child
  std::atomic<std::uint64_t> spawned{0};  // children
};

class scope_state {
 public:
  // The bits of flags_.
  static constexpr unsigned has_failed = 1;  // a child has thrown
  static constexpr unsigned stopped = 2;     // request_stop() was called
  static constexpr unsigned cut_off = 4;     // a child was skipped because of watch_
  static constexpr unsigned has_deposits = 8;
  static constexpr unsigned busy = 16;             // a lock bit, which is held
  static constexpr unsigned pushes_children = 32;  // children are pushed, whatever the pool does
  static constexpr unsigned has_pushed = 64;
  static constexpr unsigned watched = 128;  // watch_ isn't nullptr

  scope_state(const void* owner, unsigned flags, scope_watch* watch) noexcept
      : owner_(owner), start_(hot_path::depth()), watch_(watch), flags_(flags) {}
  scope_state(const scope_state&) = delete;
  scope_state& operator=(const scope_state&) = delete;
  ~scope_state() {}  // sync() has destroyed what is made late

  // Runs the closure as a child, if nothing about it is unusual.
  [[nodiscard, gnu::always_inline]] bool spawn_usual(child_function run, void* closure);
  // Runs the closure in any case, unless a child has thrown or a stop was requested. False: the
  // caller must push it.
  [[nodiscard]] HEIST_API bool spawn(const spawn_functions& functions, void* closure);
  // Pushes a child, unless one has thrown. The closure lies on the heap; the function deletes it.
  HEIST_API void push(pushed_function function, void* closure);

  // Returns when all children have ended. `thrown` is the exception of the owner, or nullptr.
  // Throws the child's exception that a serial run would have met first, else `thrown`.
  void sync(void* thrown = nullptr) {
    // Acquire: partner is child_ended.
    const std::int64_t count = count_.load(std::memory_order_acquire);
    if ((count | flags_.load(std::memory_order_relaxed)) != 0 || thrown != nullptr) [[unlikely]]
      sync_slow(thrown);
  }

  // The flags are relaxed: spawn() may see one late, and sync() has its own order.
  void request_stop() noexcept { flags_.fetch_or(stopped, std::memory_order_relaxed); }
  [[nodiscard]] bool stop_requested() const noexcept {
    return (flags_.load(std::memory_order_relaxed) & stopped) != 0 ||
           (watch_ != nullptr && watch_->stop.stop_requested());
  }
  [[nodiscard]] std::uint64_t skipped() const noexcept {
    return skipped_.load(std::memory_order_relaxed);
  }

  // ---- For spawn.cpp.
  struct pushed_child;
  class keeping;
  void keep(std::uint64_t key, std::exception_ptr exception) noexcept;
  void deposit(std::uint64_t key, view_node* views) noexcept;
  void add_child() noexcept;
  void remove_child() noexcept;
  void child_ended() noexcept;

 private:
  // Writes the spawner's entry and what the child knows.
  [[gnu::always_inline]] void prepare(fiber* spawner, fiber* child, wide_position h);
  HEIST_API void sync_slow(void* thrown);
  void run_pushed();
  void merge_deposits() noexcept;
  [[nodiscard]] wide_position place_of(wide_position i) const noexcept {
    return start_ + i * static_cast<wide_position>(sizeof(job));
  }
  // If a stop was requested, counts a child as skipped and returns true.
  bool skip_if_stopped(unsigned flags) noexcept;
  // Counts a child that is spawned now, where a stop condition needs the count. True if the child
  // must be skipped, because of a stop or of an exception; one that a stop skips is counted.
  bool skip_spawned(unsigned flags) noexcept;
  // True if a child that was pushed and hasn't begun must be skipped, as in skip_spawned().
  bool skip_pushed(std::uint64_t key) noexcept;
  // Runs a child on the spawner's stack, as a call.
  void call(const spawn_functions& functions, void* closure);

  // Added to count_ while the owner waits.
  static constexpr std::int64_t owner_waits = std::int64_t{1} << 62;

  const void* const owner_;    // the fiber that runs the scope's function, see scope_owner
  const wide_position start_;  // the owner's depth
  // The owner's floating-point control words at its first spawn, as the image of a suspended
  // context begins; 0: not known. Storing MXCSR takes 16 cycles on a Zen 5, storing the x87 control
  // word two. So a spawn stores MXCSR anew only if the x87 word has changed, as it does with
  // fesetround(), fesetenv() and feenableexcept().
  std::uint64_t float_modes_ = 0;
  std::uint64_t next_key_ = 0;  // written by the owner
  wide_position pushed_ = 0;    // children on the deque, from start_ on
  scope_watch* const watch_;
  std::atomic<std::uint64_t> skipped_{0};  // children that were skipped because of a stop
  // Children whose spawner was stolen and that haven't ended.
  std::atomic<std::int64_t> count_{0};
  std::atomic<unsigned> flags_;

  // These are made late, each by the thread that needs it first.
  struct first_thrown {
    std::uint64_t key;
    std::exception_ptr exception;
  };
  union {
    // Exists while the owner waits. Settled by the thread that brings count_ down to 0.
    rendezvous state_;
  };
  union {
    // With has_failed: the child's exception that came first in the program. Guarded by busy.
    first_thrown first_;
  };
  union {
    // With has_deposits: reducers' views (src/runtime/views.hpp), the newest child's first. Guarded
    // by busy.
    view_node* deposits_;
  };
};

// Declared here, since task_scope names it as a friend.
template <unsigned Flags, class F>
auto run_scope(scope_watch* watch, F&& f) -> std::invoke_result_t<F, task_scope&>;

}  // namespace detail

}  // namespace heist::inline v0
