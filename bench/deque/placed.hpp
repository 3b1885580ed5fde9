// Puts threads on processors of their own: an owner and a thief on the same processor never run at
// the same time.
#pragma once

#include <future>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "platform/affinity.hpp"
#include "platform/cpu_count.hpp"

namespace heist::bench {

// The program's processors, as they are at the first call: a thread that was placed, and the
// threads that it starts, see only one.
inline const std::vector<int>& program_processors() {
  static const std::vector<int> found = platform::affinity_cpus();
  return found;
}

// Moves the calling thread to the nth of the program's processors, modulo their number. If the
// system refuses, the thread stays where it is.
inline void place_on(unsigned nth) {
  const auto& all = program_processors();
  if (!all.empty()) static_cast<void>(platform::pin_this_thread(all[nth % all.size()]));
}

// Calls `function` on a thread of its own, and returns or throws what it returns or throws.
template <class Function>
std::invoke_result_t<Function> run_placed(unsigned nth, Function&& function) {
  std::packaged_task<std::invoke_result_t<Function>()> task(
      [nth, &function] { return place_on(nth), function(); });
  auto result = task.get_future();
  std::thread(std::move(task)).join();
  return result.get();
}

}  // namespace heist::bench
