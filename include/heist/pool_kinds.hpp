// The choices that a pool's configuration offers. Most programs leave them alone: nearly all exist
// so that schedulers can be compared, with one another and with the default.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "heist/detail/requirements.hpp"

namespace heist::inline v0 {

// Which deque holds a worker's forks. With any but the first every fork and join takes the slow
// path; the others exist to be compared, with one another and with the default. Each has a header
// of its own in heist/deque, except the shared queue.
enum class deque_kind : std::uint8_t {
  split,   // private and public parts; an unstolen fork needs no atomic operation (the default)
  locked,  // one mutex a deque: the baseline
  spin_locked,   // the same with a lock for which threads spin
  bounded_ring,  // a ring of fixed size; a pop is a full barrier
  abp,           // Arora, Blumofe and Plaxton: an array with a tagged top
  chase_lev,     // Chase and Lev: a ring that grows
  multi_steal,   // a steal takes up to steal_batch jobs at once
  steal_half,    // a steal takes half of what there is
  shared_queue,  // no deques: one queue of the pool, with a mutex; see pool_config::order
};

// How many jobs a steal takes from a deque_kind::multi_steal, where k is pool_config::steal_batch.
enum class steal_rule : std::uint8_t {
  up_to_k,   // as many as there are, k at most (the default)
  k_or_one,  // k; where there are fewer, one
};

// In which order workers take jobs from a shared queue. A join takes its own job, wherever it is.
enum class queue_order : std::uint8_t {
  fifo,      // the oldest first (the default)
  lifo,      // the newest first
  priority,  // the one of the highest priority first, of equal ones the oldest: with_priority
};

// What a worker does after a failed attempt to steal, before the next one.
enum class yield_kind : std::uint8_t {
  // Pauses at first, later a yield after every few attempts, as idle_kind says (the default).
  paced,
  none,       // tries again at once
  to_any,     // lets the kernel run any other thread: sched_yield
  to_random,  // waits until one other worker, chosen at random, has run or sleeps
  to_all,     // waits until every other worker has run or sleeps
};

// What a join does when its job was stolen and hasn't ended.
enum class join_kind : std::uint8_t {
  greedy,    // the last to finish continues the frame; the thread may change (the default)
  stalling,  // the frame waits for its own thread, which runs other fibers meanwhile
};

// What a scope's spawn lets other workers steal.
enum class spawn_kind : std::uint8_t {
  continuation,  // the spawner's rest; the child runs at once, on its own stack (the default)
  child,         // the child: the spawner continues; unstolen children run in the end, newest first
};

// Which victim a worker without work tries first.
enum class victim_kind : std::uint8_t {
  random,   // every other worker with equal probability (the default)
  last,     // the one it stole from last, then at random
  nearest,  // those that share its caches, by the machine's topology, then farther ones
};

// What a worker without work does.
enum class idle_kind : std::uint8_t {
  park,   // searches, yields, then sleeps: an idle pool costs nothing (the default)
  yield,  // yields its processor to other threads between searches, never sleeps
  spin,   // as good as neither (a yield after every 48 searches): to measure what those are worth
};

// What a thread does that is no worker, while it waits for a function that it has given to a pool
// (pool::run, a loop or a fork outside of any pool).
enum class caller_kind : std::uint8_t {
  // While the function runs, the thread is one of the pool's workers, in place of one that sleeps:
  // it runs the function itself, others steal from it, and it steals what belongs to its own
  // function. So it returns as soon as that has ended, whatever else the pool does. If no worker
  // sleeps it waits (the default).
  work,
  // The same, but it steals whatever there is, and can be held up by it.
  help,
  // It sleeps until a worker has run the function.
  wait,
};

// What a pool counts for pool::stats().
enum class stats_kind : std::uint8_t {
  slow_path,  // what costs nothing: all but puts and takes (the default)
  // The histograms of pool_stats too: a search or a steal reads the clock. A fork costs no more.
  timed,
  full,  // puts and takes too: each fork calls the library
};

// Where a pool's threads may run.
enum class placement_kind : std::uint8_t {
  // Wherever the system puts them, except that a woken thread isn't put where its waker runs (the
  // default).
  free,
  // Worker i runs on processor i of the affinity mask; after the last processor the first one is
  // next.
  pinned,
  // Each worker runs on any processor of one NUMA node, and the workers are shared out among the
  // nodes as the processors are: see <heist/places.hpp>.
  by_node,
};

// The names of the choices, as the command takes them: those of the enumerators.
[[nodiscard]] constexpr std::string_view to_string(deque_kind k) noexcept {
  constexpr std::string_view names[] = {"split",        "locked",     "spin_locked",
                                        "bounded_ring", "abp",        "chase_lev",
                                        "multi_steal",  "steal_half", "shared_queue"};
  return names[static_cast<std::size_t>(k)];
}
[[nodiscard]] constexpr std::string_view to_string(steal_rule r) noexcept {
  return r == steal_rule::up_to_k ? "up_to_k" : "k_or_one";
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
[[nodiscard]] constexpr std::string_view to_string(queue_order k) noexcept {
  constexpr std::string_view names[] = {"fifo", "lifo", "priority"};
  return names[static_cast<std::size_t>(k)];
}
[[nodiscard]] constexpr std::string_view to_string(yield_kind k) noexcept {
  constexpr std::string_view names[] = {"paced", "none", "to_any", "to_random", "to_all"};
  return names[static_cast<std::size_t>(k)];
}
[[nodiscard]] constexpr std::string_view to_string(caller_kind k) noexcept {
  constexpr std::string_view names[] = {"work", "help", "wait"};
  return names[static_cast<std::size_t>(k)];
}
[[nodiscard]] constexpr std::string_view to_string(stats_kind k) noexcept {
  constexpr std::string_view names[] = {"slow_path", "timed", "full"};
  return names[static_cast<std::size_t>(k)];
}
[[nodiscard]] constexpr std::string_view to_string(placement_kind k) noexcept {
  constexpr std::string_view names[] = {"free", "pinned", "by_node"};
  return names[static_cast<std::size_t>(k)];
}

// Every choice, in the order of the enumerators.
inline constexpr deque_kind all_deque_kinds[] = {
    deque_kind::split,        deque_kind::locked,     deque_kind::spin_locked,
    deque_kind::bounded_ring, deque_kind::abp,        deque_kind::chase_lev,
    deque_kind::multi_steal,  deque_kind::steal_half, deque_kind::shared_queue};
inline constexpr steal_rule all_steal_rules[] = {steal_rule::up_to_k, steal_rule::k_or_one};
inline constexpr queue_order all_queue_orders[] = {queue_order::fifo, queue_order::lifo,
                                                   queue_order::priority};
inline constexpr yield_kind all_yield_kinds[] = {yield_kind::paced, yield_kind::none,
                                                 yield_kind::to_any, yield_kind::to_random,
                                                 yield_kind::to_all};
inline constexpr join_kind all_join_kinds[] = {join_kind::greedy, join_kind::stalling};
inline constexpr spawn_kind all_spawn_kinds[] = {spawn_kind::continuation, spawn_kind::child};
inline constexpr victim_kind all_victim_kinds[] = {victim_kind::random, victim_kind::last,
                                                   victim_kind::nearest};
inline constexpr caller_kind all_caller_kinds[] = {caller_kind::work, caller_kind::help,
                                                   caller_kind::wait};
inline constexpr stats_kind all_stats_kinds[] = {stats_kind::slow_path, stats_kind::timed,
                                                 stats_kind::full};
inline constexpr idle_kind all_idle_kinds[] = {idle_kind::park, idle_kind::yield, idle_kind::spin};

}  // namespace heist::inline v0
