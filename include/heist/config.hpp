// The configuration of a pool, given when it is made.
#pragma once

#include <cstddef>
#include <string>

#include "heist/detail/functional.hpp"
#include "heist/detail/requirements.hpp"
#include "heist/pool_kinds.hpp"

namespace heist::inline v0 {

// Every field has a default; name those that you want: heist::pool p{{.workers = 4}};
struct pool_config {
  static constexpr unsigned max_workers = 1024;                              // of workers
  static constexpr std::size_t default_stack_size = std::size_t{8} << 20;    // bytes
  static constexpr std::size_t min_stack_size = std::size_t{16} << 10;       // bytes
  static constexpr std::size_t max_stack_size = std::size_t{1} << 40;        // bytes
  static constexpr std::size_t default_fork_depth = std::size_t{1} << 15;    // forks
  static constexpr std::size_t max_fork_depth = (std::size_t{1} << 20) - 2;  // forks
  static constexpr unsigned max_steal_batch = 1024;                          // jobs
  static constexpr unsigned max_caller_seats = 1024;                         // threads

  // How many threads the pool has. 0: HEIST_WORKERS if set, else as many as the affinity mask and
  // the cgroup's CPU quota (rounded up) allow. At most max_workers.
  unsigned workers = 0;

  // Bytes of address space for each fiber's stack; only touched pages use memory. 0:
  // HEIST_STACK_SIZE if set, else 8 MiB. Rounded up to pages.
  std::size_t stack_size = 0;

  // How many nested forks of one fiber thieves can steal; deeper ones run as plain calls. 0: 32768.
  // Each takes 64 bytes of address space.
  std::size_t fork_depth = 0;

  // Most programs leave the next nine alone: they exist so that schedulers can be compared.

  // Which deque holds the workers' forks.
  deque_kind deque = deque_kind::split;
  // For deque_kind::multi_steal: how many jobs a steal takes at most. From 1 to 1024.
  unsigned steal_batch = 2;
  // For deque_kind::multi_steal: what a steal takes where there are fewer.
  steal_rule rule = steal_rule::up_to_k;
  // For deque_kind::shared_queue.
  queue_order order = queue_order::fifo;
  // What a join does when its job was stolen and hasn't ended.
  join_kind join = join_kind::greedy;
  // In a pool with stalling joins, or with a shared queue, children are stolen, whatever is asked
  // for, and pool::config() says so: a continuation would change its thread, or be found out of its
  // order.
  spawn_kind spawn = spawn_kind::continuation;
  // Which victim a worker without work tries first.
  victim_kind victim = victim_kind::random;
  // What a worker without work does.
  idle_kind idle = idle_kind::park;
  // What a worker does after a failed attempt to steal, before the next one.
  yield_kind yield = yield_kind::paced;
  // Where the threads may run.
  placement_kind placement = placement_kind::free;
  // With placement_kind::by_node: the only node whose processors the pool uses, counted from 0
  // among those that this process may use; then 0 workers are as many as it has processors. -1: all
  // nodes.
  int node = -1;
  // Callers always wait in a pool with another deque than the split one, with stalling joins, with
  // pinned workers, with yields to random workers or to all, or with a hook below: what it promises
  // holds for its own threads.
  caller_kind callers = caller_kind::work;
  // How many threads from outside may work at once in seats of their own, when no worker sleeps in
  // whose place they could: for programs of which more threads call the pool at once than it has
  // workers. A call that finds no seat waits for a worker (pool_stats::seatless_calls). Each seat
  // is one more slot: pool::worker_index() is below pool::slots(), not below workers(); and one
  // more thread that competes for the processors. At most max_caller_seats; 0 where callers wait.
  unsigned caller_seats = 0;
  // HEIST_STATS=full makes this full in every pool, HEIST_STATS=timed at least timed.
  stats_kind stats = stats_kind::slow_path;

  // A thread's name is this, a dash and the worker's index, cut to the system's 15 characters.
  std::string name = "heist";

  // Called on each worker's thread with its index, before its first work, and after its last work
  // when the other workers have ended theirs too: a fork in on_thread_stop is a call. An exception
  // from either ends the program.
  std::function<void(unsigned)> on_thread_start = {};
  std::function<void(unsigned)> on_thread_stop = {};
};

}  // namespace heist::inline v0
