// What can be chosen of a distributed scheduler.
#pragma once

#include <array>
#include <cstdint>

namespace heist::lab {

enum class spawn_order {
  child_first,  // run the child, leave the parent to thieves: continuation stealing, the paper's rule
  parent_first,  // go on with the parent, leave the child to thieves: child stealing
};

enum class steal_amount { one, k, half };  // of the victim's threads, from the top

enum class victim_choice {
  random,    // uniform among the other processors
  nearest,   // those near by first; farther with each failed attempt
  lifeline,  // random a few times; then asleep, until one of lg P neighbours on a hypercube has work
};

// What becomes of requests that reach one deque in the same step, as one is answered.
enum class access_model {
  queue,   // they wait: Blumofe and Leiserson's atomic-access model
  reject,  // they fail: Karp and Zhang's
};

// Who is answered first of those that wait: the adversary's choice.
enum class answer_order { first, last, random };

// How far apart processors are: those with the same number / size are within one level.
struct distances {
  static constexpr std::size_t levels = 4;

  // Processors in a cache, a socket, a node; farther away is the cluster.
  std::array<std::uint32_t, levels - 1> sizes = {4, 16, 64};
  // Steps from a request to what comes of it; 1: in the same step.
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
  std::uint32_t tries = 2;  // failed attempts before a thief looks farther away, or goes to sleep
};

}  // namespace heist::lab
