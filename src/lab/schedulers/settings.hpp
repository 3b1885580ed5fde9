// The choices that a distributed scheduler leaves open.
#pragma once

#include <array>
#include <cstdint>

namespace heist::lab {

enum class spawn_order {
  child_first,   // run the child and leave the parent to thieves: the paper's continuation stealing
  parent_first,  // run the parent and leave the child to thieves: child stealing
};

// What a process does whose instruction has made a thread ready.
enum class enabled_order {
  queued,  // puts it at the bottom of its deque, and goes on
  run,     // runs it, and puts its own thread there
};

// Of the victim's threads, from the top. k: fewer where it has fewer; k_or_one: then one only, as
// in the article of the scheduler with multi-task steals.
enum class steal_amount { one, k, k_or_one, half };

enum class victim_choice {
  random,    // uniform among the other processors
  nearest,   // the nearest processors first, farther ones after failed attempts
  lifeline,  // a few random attempts; then sleep until one of lg P hypercube neighbours has work
};

// Of the requests that reach a deque in the same step one is answered. What happens to the others?
enum class access_model {
  queue,   // they wait: Blumofe and Leiserson's atomic-access model
  reject,  // they fail: Karp and Zhang's
};

// Which of the waiting requests is answered first. The paper leaves this choice to an adversary.
enum class answer_order { first, last, random };

// How far apart processors are: those whose number / size is the same are within one level of each
// other.
struct distances {
  static constexpr std::size_t levels = 4;

  // The processors of a cache, of a socket, of a node; any others are elsewhere in the cluster.
  std::array<std::uint32_t, levels - 1> sizes = {4, 16, 64};
  // Steps from a request to its outcome; 1 means in the same step.
  std::array<std::uint32_t, levels> latency = {1, 1, 1, 1};

  [[nodiscard]] std::size_t between(std::uint32_t a, std::uint32_t b) const {
    for (std::size_t level = 0; level < sizes.size(); ++level)
      if (a / sizes[level] == b / sizes[level]) return level;
    return levels - 1;
  }
  [[nodiscard]] bool is_uniform() const { return latency == decltype(latency){1, 1, 1, 1}; }
};

struct stealing_settings {
  spawn_order spawn = spawn_order::child_first;
  steal_amount amount = steal_amount::one;
  std::uint32_t k = 2;
  victim_choice victims = victim_choice::random;
  access_model access = access_model::queue;
  answer_order answers = answer_order::first;
  distances machine;
  // From so many threads in a deque on, what a spawn leaves isn't put there, and no thief can take
  // it (lazily recorded forks). 0: all are.
  std::uint32_t lazy = 0;
  std::uint32_t tries = 2;  // failed attempts before a thief looks farther away, or goes to sleep
};

}  // namespace heist::lab
