// Threads on processors of their own: an owner and a thief that the scheduler has put on the same one don't meet.
#pragma once

#include <future>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "platform/cpu_count.hpp"
#include "platform/topology.hpp"

namespace heist::bench {

// The program's, as they are at the first call: a thread that was placed, and those it starts, see one only.
inline const std::vector<int>& program_processors() {
  static const std::vector<int> found = platform::affinity_cpus();
  return found;
}

// The calling thread on the nth of the program's processors, counted round; refused, it stays where it is.
inline void place_on(unsigned nth) {
  const auto& all = program_processors();
  if (!all.empty()) static_cast<void>(platform::pin_this_thread(all[nth % all.size()]));
}

// What `function` returns, or throws, on a thread of its own.
template <class Function>
std::invoke_result_t<Function> run_placed(unsigned nth, Function&& function) {
  std::packaged_task<std::invoke_result_t<Function>()> task(
      [nth, &function] { return place_on(nth), function(); });
  auto result = task.get_future();
  std::thread(std::move(task)).join();
  return result.get();
}

}  // namespace heist::bench
