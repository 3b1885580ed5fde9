// What every pool of the process is doing, as text: for a watchdog, or for a person in front of a
// program that hangs.
//
// It reads words that their owners keep writing, so its numbers are of slightly different moments.
// What no longer changes, as in a program that hangs, is reported as it is.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "heist/presets.hpp"
#include "heist/stats.hpp"
#include "runtime/core/live_pools.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/core/worker.hpp"

namespace heist::inline v0 {

namespace detail {

namespace {

std::string number(std::uint64_t n) { return std::to_string(n); }

std::string_view name_of(worker_state s) noexcept {
  constexpr std::string_view names[] = {"searching", "running", "starved", "parked"};
  return names[static_cast<std::size_t>(s)];
}

// Relaxed, all of it: each word is reported as it is.
std::string describe_deque(worker& w) {
  if (w.pool.config().deque == deque_kind::shared_queue)
    return "shared queue " + number(w.forks->size_hint());
  if (!w.uses_split())
    return "forks " + number(w.forks->size_hint()) + ", loot " + number(w.loot->size_hint());
  const auto jobs = [](position p) { return number(p / sizeof(job)); };
  // Pinned, since a guest's would be gone with its thread.
  const deque_view deque(w);
  if (!deque) return "gone";
  const control::state s = deque->word.load();
  return "head " + jobs(deque->head.load(std::memory_order_relaxed)) + ", limit " +
         jobs(deque->limit.load(std::memory_order_relaxed)) + ", tail " + jobs(s.tail) +
         ", split " + jobs(s.split) + ", bound " + jobs(s.bound);
}

std::string describe_worker(worker& w) {
  return "  worker " + number(w.index) + ", " +
         (w.is_guest ? std::string("a caller's thread") : "thread " + std::to_string(w.tid)) +
         ": " + std::string(name_of(w.doing.load(std::memory_order_relaxed))) + "; " +
         describe_deque(w) +
         (w.mailbox.load(std::memory_order_relaxed) != nullptr ? "; has mail\n" : "\n");
}

std::string describe(pool_impl& p) {
  const pool_config& c = p.config();
  const pool_stats s = p.stats();
  const sleepers::snapshot sleep = p.sleep_counts();
  std::uint64_t running = 0;  // fibers, those that run a worker's loop included
  for (unsigned i = 0; i < p.slots(); ++i)
    running +=
        p.is_in_use(i) && p.at(i).doing.load(std::memory_order_relaxed) != worker_state::starved
            ? 1
            : 0;
  const std::uint64_t suspended = s.stacks_in_use > running ? s.stacks_in_use - running : 0;
  std::string text = "pool " + c.name + ": workers " + number(p.size()) + ", " + to_string(c);
  text += "\n  suspended fibers: " + number(suspended) +
          "; entries injected: " + number(p.injection().size()) +
          "; workers asleep: " + number(sleep.sleepers) + ", being woken: " + number(sleep.tokens) +
          "\n";
  for (unsigned i = 0; i < p.slots(); ++i)
    if (p.is_in_use(i)) text += describe_worker(p.at(i));
  return text + to_string(s);
}

}  // namespace

}  // namespace detail

std::string describe_pools() {
  std::string text;
  detail::live_pools::for_each([&text](detail::pool_impl& p) { text += detail::describe(p); });
  return text.empty() ? "no pools\n" : text;
}

}  // namespace heist::inline v0
