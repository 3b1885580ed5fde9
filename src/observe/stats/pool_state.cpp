// What a look at pools finds: why a worker is idle, how many fibers wait; and what every pool of
// the process is doing, as text for a watchdog or for a person in front of a program that hangs.
//
// It reads words that their owners keep writing, so its numbers are of slightly different moments.
// What no longer changes, as in a program that hangs, is reported as it is.
#include "observe/stats/pool_state.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "heist/presets.hpp"
#include "heist/stats.hpp"
#include "runtime/core/deque_sizes.hpp"
#include "runtime/core/live_pools.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/core/worker.hpp"

namespace heist::inline v0::detail {

namespace {

// What a look at the other workers finds. Relaxed, all of it: of slightly different moments.
struct surroundings {
  unsigned running = 0;  // without the worker itself
  bool has_private = false, has_public = false;
};

void look_at(worker& other, surroundings& found) noexcept {
  if (other.doing.load(std::memory_order_relaxed) == worker_state::running) ++found.running;
  if (!other.uses_split()) {
    found.has_public = found.has_public || deque_size(other) != 0;
    return;
  }
  const deque_view deque(other);
  if (!deque) return;
  if (deque->has_public())
    found.has_public = true;
  else if (deque->has_work())
    found.has_private = true;
}

surroundings look_around(const worker& w) noexcept {
  surroundings found;
  for (unsigned i = 0; i < w.pool.slots(); ++i)
    if (worker& other = w.pool.at(i); &other != &w) look_at(other, found);
  return found;
}

}  // namespace

std::uint64_t suspended_fibers(const pool_impl& p) noexcept {
  std::uint64_t known = 0;
  const auto add = [&known](const worker& w) {
    known += 1 + w.spare_count.load(std::memory_order_relaxed) +
             w.counted_stacks.load(std::memory_order_relaxed);
  };
  for (unsigned i = 0; i < p.size(); ++i) add(p.resident(i));
  for (unsigned i = 0; i < p.slots(); ++i)
    if (const worker& guest = p.at(i); guest.is_guest && guest.door.looks_open()) add(guest);
  const std::uint64_t used = p.stack_use().in_use();
  return used > known ? used - known : 0;
}

idle_reason why_idle(const worker& w) noexcept {
  const surroundings found = look_around(w);
  if (found.has_private) return idle_reason::private_work;
  if (found.running == 1 && !found.has_public) return idle_reason::serial_phase;
  const auto somebody_waits = [&w] {
    return w.pool.blocking().threads_in_use() != 0 || suspended_fibers(w.pool) != 0;
  };
  if (found.running == 0 && somebody_waits()) return idle_reason::blocked;
  return idle_reason::no_work;
}

}  // namespace heist::inline v0::detail

// ---- The text.

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
  return "head " + jobs(deque->depth()) + ", limit " +
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
