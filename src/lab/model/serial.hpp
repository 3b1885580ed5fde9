// Measures a computation by a serial depth-first run, which executes a child before the rest of its
// parent. The run holds only the threads of one path of the spawn tree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lab/model/program.hpp"

namespace heist::lab {

struct measures {
  std::uint64_t work = 0;           // T1
  std::uint64_t span = 0;           // Tinf
  std::uint64_t stack_depth = 0;    // S1
  std::uint64_t most_joins = 0;     // nd: joins of a thread with its parent, at most
  std::uint64_t largest_frame = 0;  // Smax
  std::uint64_t threads = 0;
  std::uint64_t instructions = 0;  // an instruction of weight w counts once

  [[nodiscard]] double parallelism() const {
    return static_cast<double>(work) / static_cast<double>(span);
  }
  friend bool operator==(const measures&, const measures&) = default;
};

template <fork_join_program Program>
measures measure(fork_join_threads<Program>& threads) {
  struct level {
    thread_id thread;
    std::uint64_t path;    // the longest path up to the last executed instruction
    std::uint64_t joined;  // the longest path to the end of a child, since the last sync
  };
  measures result;
  result.largest_frame = 1;
  std::vector<level> stack = {{threads.start(), 0, 0}};
  result.threads = 1;
  while (!stack.empty()) {
    result.stack_depth = std::max<std::uint64_t>(result.stack_depth, stack.size());
    auto& top = stack.back();
    if (threads.is_at_sync(top.thread)) {
      top.path = std::max(top.path, top.joined);
      top.joined = 0;
    }
    const auto weight = threads.weight(top.thread);
    top.path += weight;
    result.work += weight;
    ++result.instructions;
    const outcome did = threads.execute(top.thread);
    if (did.spawned != no_id) {
      ++result.threads;
      stack.push_back({did.spawned, top.path, 0});
    } else if (did.thread == outcome::fate::died) {
      const auto path = top.path;
      stack.pop_back();
      if (stack.empty())
        result.span = path;
      else
        stack.back().joined = std::max(stack.back().joined, path);
    }
  }
  result.most_joins = result.threads > 1 ? 1 : 0;
  return result;
}

}  // namespace heist::lab
