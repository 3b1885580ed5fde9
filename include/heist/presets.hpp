// Presets: the schedulers of the literature under their names, each a configuration of the same
// parts.
//
//     heist::pool p{heist::presets::cilk()};
//     for (const heist::presets::preset& each : heist::presets::all())
//       std::cout << each.name << ": " << heist::to_string(each.config) << '\n';
//
// A preset's number of workers is left open, as in a default pool_config; any field may be changed
// before the pool is made. `heist presets` prints the list, `heist run --preset NAME` runs programs
// under one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heist/config.hpp"
#include "heist/detail/export.hpp"
#include "heist/job_memory.hpp"

namespace heist::inline v0 {

// The choices of a configuration in one line, as "deque chase_lev, spawn continuation, join greedy,
// victim random, idle park, yield paced". Throws std::bad_alloc.
[[nodiscard]] HEIST_API std::string to_string(const pool_config& c);

// Whether two configurations make the same scheduler: all fields but the number of workers, the
// sizes, the name and the hooks are equal. steal_batch, rule and order count only where the deque
// has them.
[[nodiscard]] HEIST_API bool same_scheduler(const pool_config& a, const pool_config& b) noexcept;

namespace presets {

// What heist is by default: split deques, continuations stolen, greedy joins, workers that sleep.
[[nodiscard]] inline pool_config heist() { return {}; }

// Deques that grow (Chase and Lev), the spawner's rest stolen, greedy joins. Source: Blumofe and
// Leiserson, 1999; Cilk.
[[nodiscard]] inline pool_config cilk() {
  return {
      .deque = deque_kind::chase_lev, .join = join_kind::greedy, .spawn = spawn_kind::continuation};
}

// Deques of fixed size, children stolen, joins that keep their thread. Programs use job_system,
// whose jobs come from a ring of the thread. Source: Reinalter, Job System 2.0.
[[nodiscard]] inline pool_config job_system() {
  return {
      .deque = deque_kind::bounded_ring, .join = join_kind::stalling, .spawn = spawn_kind::child};
}
// The same with a lock in place of the lock-free deque: the article's baseline.
[[nodiscard]] inline pool_config job_system_locked() {
  pool_config c = job_system();
  c.deque = deque_kind::locked;
  return c;
}

// A steal takes up to k jobs, and the thief keeps those that it doesn't run. Programs use task. k:
// 1 to pool_config::max_steal_batch.
[[nodiscard]] inline pool_config multi_steal(unsigned k = 2) {
  return {.deque = deque_kind::multi_steal,
          .steal_batch = k,
          .join = join_kind::stalling,
          .spawn = spawn_kind::child};
}

// Deques of an array with a tagged top, and a yield after each failed attempt to steal; workers
// never sleep. Source: Arora, Blumofe and Plaxton, 1998. The last two yields are approximated (see
// yield_kind).
[[nodiscard]] inline pool_config abp(yield_kind yield = yield_kind::to_any) {
  return {.deque = deque_kind::abp, .idle = idle_kind::yield, .yield = yield};
}

// The same with a lock for which threads spin in place of the non-blocking deque: what the paper
// takes away to show what it is worth. A worker that loses its processor while it holds one keeps
// all others waiting.
[[nodiscard]] inline pool_config abp_locked() {
  pool_config c = abp();
  c.deque = deque_kind::spin_locked;
  return c;
}

// One queue for all workers, with a lock; a join takes its own job out of it.
[[nodiscard]] inline pool_config shared_queue(queue_order order = queue_order::fifo) {
  return {.deque = deque_kind::shared_queue, .order = order, .spawn = spawn_kind::child};
}

// A deque with a lock for each worker, and children stolen: a fork is a future for which its maker
// waits.
[[nodiscard]] inline pool_config locked_deques() {
  return {.deque = deque_kind::locked, .spawn = spawn_kind::child};
}

// Which constructs the programs of a preset are made of.
enum class construct_kind : std::uint8_t {
  forks,    // fork_join, parallel_for and scope
  tasks,    // task objects with a count of unfinished children
  jobs,     // job_system
  futures,  // submit(), and get() where the program joins
  plan,     // loops under a partitioner, and nothing that forks
};

// Which partitioner deals out the loops, under construct_kind::plan.
enum class plan_kind : std::uint8_t { static_blocks, interleaved, semi_static, counter };

// The names of the choices: those of the enumerators.
[[nodiscard]] constexpr std::string_view to_string(construct_kind c) noexcept {
  constexpr std::string_view names[] = {"forks", "tasks", "jobs", "futures", "plan"};
  return names[static_cast<std::size_t>(c)];
}
[[nodiscard]] constexpr std::string_view to_string(plan_kind p) noexcept {
  constexpr std::string_view names[] = {"static_blocks", "interleaved", "semi_static", "counter"};
  return names[static_cast<std::size_t>(p)];
}

// A scheduler of the literature: a configuration, and what programs under it are made of.
struct preset {
  std::string_view name;                             // as the command takes it
  pool_config config;                                // of its pool
  construct_kind construct = construct_kind::forks;  // what its programs are made of
  plan_kind plan = plan_kind::static_blocks;         // for construct_kind::plan
  job_memory memory = job_memory::ring;              // for construct_kind::jobs
  std::string_view parts;                            // what it is made of, in words
  std::string_view limits;  // what it can't do; empty: nothing that heist can
  std::string_view source;  // the document that describes it
};

// Every preset, in the order in which they are shown. Thread-safe; lives as long as the process.
[[nodiscard]] HEIST_API const std::vector<preset>& all();

// The preset of that name, or nullptr.
[[nodiscard]] HEIST_API const preset* find(std::string_view name);

}  // namespace presets

}  // namespace heist::inline v0
