// What a pool can be told when it is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "heist/detail/requirements.hpp"

namespace heist::inline v0 {

// Which deque holds a worker's forks. With any but the first every fork and join takes the slow path; they
// are here to be compared, with one another and with the default. Each is a header of its own in heist/deque.
enum class deque_kind : std::uint8_t {
  split,   // private and public parts; an unstolen fork needs no atomic operation (the default)
  locked,  // one mutex a deque: the baseline
  bounded_ring,  // a ring of fixed size; a pop is a full barrier
  abp,           // Arora, Blumofe and Plaxton: an array with a tagged top
  chase_lev,     // Chase and Lev: a ring that grows
  multi_steal,   // a steal takes up to steal_batch jobs at once
  steal_half,    // a steal takes half of what there is
};

// What a join does when its job was stolen and hasn't ended.
enum class join_kind : std::uint8_t {
  greedy,    // whoever finishes last goes on with the frame; the thread may change (the default)
  stalling,  // the frame waits for its own thread, which runs other fibers meanwhile
};

// What a scope's spawn leaves to other workers.
enum class spawn_kind : std::uint8_t {
  continuation,  // the spawner's rest: the child runs at once, on a stack of its own (the default)
  child,  // the child: the spawner goes on, and what nobody took runs in the end, newest first
};

// Whom a worker without work asks first.
enum class victim_kind : std::uint8_t {
  random,   // every other worker with equal probability (the default)
  last,     // the one it stole from last, then at random
  nearest,  // those that share its caches, by the machine's topology, then farther ones
};

// How far a worker without work goes.
enum class idle_kind : std::uint8_t {
  park,  // looks around, yields, then sleeps until there is work; an idle pool costs nothing (the default)
  yield,  // gives its processor to other threads between looks, never sleeps
  spin,   // neither: for measuring what the other two are worth
};

// Where a pool's threads may run.
enum class placement_kind : std::uint8_t {
  free,  // wherever the system puts them, but that a woken one isn't put where its waker runs (the default)
  pinned,  // worker i on the i-th processor of the affinity mask, again from the first after the last
};

// The names of the choices, as the command takes them: the enumerators'.
[[nodiscard]] constexpr std::string_view to_string(deque_kind k) noexcept {
  constexpr std::string_view names[] = {"split",     "locked",      "bounded_ring", "abp",
                                        "chase_lev", "multi_steal", "steal_half"};
  return names[static_cast<std::size_t>(k)];
}
[[nodiscard]] constexpr std::string_view to_string(join_kind k) noexcept {
  return k == join_kind::greedy ? "greedy" : "stalling";
}
[[nodiscard]] constexpr std::string_view to_string(spawn_kind k) noexcept {
  return k == spawn_kind::continuation ? "continuation" : "child";
}
[[nodiscard]] constexpr std::string_view to_string(victim_kind k) noexcept {
  constexpr std::string_view names[] = {"random", "last", "nearest"};
  return names[static_cast<std::size_t>(k)];
}
[[nodiscard]] constexpr std::string_view to_string(idle_kind k) noexcept {
  constexpr std::string_view names[] = {"park", "yield", "spin"};
  return names[static_cast<std::size_t>(k)];
}
[[nodiscard]] constexpr std::string_view to_string(placement_kind k) noexcept {
  return k == placement_kind::free ? "free" : "pinned";
}

// Every choice, in the order of the enumerators.
inline constexpr deque_kind all_deque_kinds[] = {
    deque_kind::split,     deque_kind::locked,      deque_kind::bounded_ring, deque_kind::abp,
    deque_kind::chase_lev, deque_kind::multi_steal, deque_kind::steal_half};
inline constexpr join_kind all_join_kinds[] = {join_kind::greedy, join_kind::stalling};
inline constexpr spawn_kind all_spawn_kinds[] = {spawn_kind::continuation, spawn_kind::child};
inline constexpr victim_kind all_victim_kinds[] = {victim_kind::random, victim_kind::last,
                                                   victim_kind::nearest};
inline constexpr idle_kind all_idle_kinds[] = {idle_kind::park, idle_kind::yield, idle_kind::spin};

// Every field has a default; name those that you want: heist::pool p{{.workers = 4}};
struct pool_config {
  static constexpr unsigned max_workers = 1024;
  static constexpr std::size_t default_stack_size = std::size_t{8} << 20;
  static constexpr std::size_t min_stack_size = std::size_t{16} << 10;
  static constexpr std::size_t max_stack_size = std::size_t{1} << 40;
  static constexpr std::size_t default_fork_depth = std::size_t{1} << 15;
  static constexpr std::size_t max_fork_depth = (std::size_t{1} << 20) - 2;
  static constexpr unsigned max_steal_batch = 64;

  // Threads. 0: HEIST_WORKERS if set, else as many as the affinity mask and the cgroup's CPU quota
  // (rounded up) allow. At most max_workers.
  unsigned workers = 0;

  // Bytes of address space for each fiber's stack, of which only what is touched uses memory. 0:
  // HEIST_STACK_SIZE if set, else 8 MiB. Rounded up to pages.
  std::size_t stack_size = 0;

  // Nested forks of one fiber that others can steal; deeper ones run as plain calls. 0: 32768.
  // Address space of 64 bytes each.
  std::size_t fork_depth = 0;

  deque_kind deque = deque_kind::split;
  // For deque_kind::multi_steal: the most jobs that a steal takes. From 1 to 64.
  unsigned steal_batch = 2;
  join_kind join = join_kind::greedy;
  // A pool with stalling joins steals children, whatever this says: a continuation would change its thread.
  spawn_kind spawn = spawn_kind::continuation;
  victim_kind victim = victim_kind::random;
  idle_kind idle = idle_kind::park;
  placement_kind placement = placement_kind::free;

  // Thread names are this, a dash and the worker's index; cut to the system's 15 characters.
  std::string name = "heist";

  // Called on each worker's thread with its index, before its first and after its last work, when the
  // other workers have ended theirs too: a fork in on_thread_stop is a call. An exception from one
  // ends the program.
  std::function<void(unsigned)> on_thread_start = {};
  std::function<void(unsigned)> on_thread_stop = {};
};

}  // namespace heist::inline v0
