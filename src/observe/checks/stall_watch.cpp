#include "observe/checks/stall_watch.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

#include "heist/error.hpp"
#include "heist/stats.hpp"
#include "observe/checks/wait_graph.hpp"
#include "platform/process.hpp"
#include "platform/thread.hpp"
#include "runtime/core/live_pools.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/core/worker.hpp"

namespace heist::inline v0::detail {

namespace {

constexpr int stall_looks = 10;  // within stall_patience
static_assert(stall_patience / stall_looks > stall_patience.zero());

// Generation + 1 of the process that has a thread for this.
constinit std::atomic<unsigned> watched{0};

// How many pools have been made. Relaxed: a report too many, or too late, does no harm.
constinit std::atomic<unsigned> pools_made{0};

// What a look at everything has found.
struct look {
  bool all_wait = false;
  std::uint64_t changes = 0;  // grows with whatever happens
};

// Relaxed, all of it: what no longer changes is seen as it is sooner or later, and a hang lasts.
bool has_nothing_to_do(const worker& w) noexcept {
  const worker_state s = w.doing.load(std::memory_order_relaxed);
  return (s == worker_state::parked || s == worker_state::searching) &&
         w.mailbox.load(std::memory_order_relaxed) == nullptr;
}

bool has_nothing_to_do(pool_impl& p) noexcept {
  if (!p.injection().empty()) return false;
  for (unsigned i = 0; i < p.slots(); ++i)
    if (!has_nothing_to_do(p.at(i)) || (i < p.size() && !has_nothing_to_do(p.resident(i))))
      return false;
  return true;
}

look look_around() {
  const wait_counts waits = count_waits();
  look seen{waits.fibers != 0 && waits.timed == 0, waits.changes};
  live_pools::for_each([&seen](pool_impl& p) {
    const pool_stats s = p.stats();
    seen.changes += s.total.roots + s.total.steals + s.total.suspends + s.blocking_calls;
    seen.all_wait = seen.all_wait && s.blocking_threads_in_use == 0 && has_nothing_to_do(p);
  });
  return seen;
}

void report(std::string& last) {
  const wait_counts waits = count_waits();
  std::string text = "heist: " + std::to_string(waits.fibers) +
                     (waits.fibers == 1 ? " fiber waits" : " fibers wait") +
                     ", no worker has anything to do, and no wait has a time limit;\n"
                     "heist: unless a thread outside the pools goes on, this is a hang:\n" +
                     describe_waits();
  if (text == last) return;
  std::fputs(text.c_str(), stderr);
  last = std::move(text);
}

// The moment when nothing runs any more.
class hang_watch {
 public:
  // To be called every stall_patience / stall_looks. Throws std::bad_alloc.
  void look() {
    // Another pool's fibers may lie where those of an earlier one lay.
    const unsigned made = pools_made.load(std::memory_order_relaxed);
    if (std::exchange(pools_, made) != made) last_.clear();
    const auto before = std::exchange(seen_, look_around());
    quiet_looks_ = seen_.all_wait && seen_.changes == before.changes ? quiet_looks_ + 1 : 0;
    if (quiet_looks_ == stall_looks) report(last_);
  }

 private:
  std::string last_;
  struct look seen_;
  unsigned pools_ = 0;
  int quiet_looks_ = 0;
};

constexpr std::array<const char*, entry_census::levels> names{
    "functions that can continue", "forks that their functions left behind",
    "functions of priority high", "functions of priority normal", "functions of priority low"};

// Relaxed: a report.
unsigned running_workers(pool_impl& p) noexcept {
  unsigned n = 0;
  for (unsigned i = 0; i < p.size(); ++i)
    if (p.at(i).doing.load(std::memory_order_relaxed) == worker_state::running) ++n;
  return n;
}

// What has waited at a pool's entry for longer than `longest` while nothing of its level was begun
// or resumed (turns.hpp).
class starvation_watch {
 public:
  explicit starvation_watch(std::chrono::nanoseconds longest) noexcept : longest_(longest) {}

  // To be called several times in that time. What it found, or nothing. Throws std::bad_alloc.
  [[nodiscard]] std::string look();

 private:
  using time = std::chrono::steady_clock::time_point;
  // Of a level in a pool.
  struct record {
    time since{};  // when it was served last, or had nothing; time{}: never looked at
    std::array<std::uint64_t, entry_census::levels> taken{};  // by then
    bool is_told = false;
  };
  using records = std::array<record, entry_census::levels>;

  [[nodiscard]] std::string look_at(pool_impl& p, records& known, time now) const;

  const std::chrono::nanoseconds longest_;
  std::unordered_map<const pool_impl*, records> pools_;
};

std::string starvation_watch::look() {
  std::string text;
  std::unordered_map<const pool_impl*, records> seen;
  const time now = std::chrono::steady_clock::now();
  live_pools::for_each([&](pool_impl& p) {
    const auto before = pools_.find(&p);
    records& known = seen[&p];
    if (before != pools_.end()) known = before->second;
    text += look_at(p, known, now);
  });
  pools_ = std::move(seen);
  return text;
}

std::string starvation_watch::look_at(pool_impl& p, records& known, time now) const {
  std::string text;
  const entry_census here = p.injection().census();
  for (unsigned l = 0; l < entry_census::levels; ++l) {
    record& r = known[l];
    if (r.since == time{} || !here.waits[l] || here.taken[l] != r.taken[l]) {
      r = {now, here.taken, false};
      continue;
    }
    const auto waited = now - r.since;
    if (waited <= longest_ || r.is_told) continue;
    r.is_told = true;
    std::string others;
    for (unsigned o = 0; o < entry_census::levels; ++o)
      if (const std::uint64_t n = here.taken[o] - r.taken[o]; n != 0)
        others += (others.empty() ? " " : ", ") + std::to_string(n) + " " + names[o];
    if (others.empty())
      others = " nothing: " + std::to_string(running_workers(p)) + " of " +
               std::to_string(p.size()) + " workers run functions that neither end nor wait";
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(waited).count();
    text += "heist: pool \"" + p.config().name + "\": " + names[l] + " have waited for " +
            std::to_string(ms) + " ms, and none was begun;\nheist: meanwhile its workers took" +
            others + "\n";
  }
  return text;
}

void watch(const check_settings& wanted) noexcept {
  using namespace std::chrono_literals;
  constexpr std::chrono::nanoseconds usual = stall_patience / stall_looks;
  constexpr int looks_within = 4;
  const bool starves = wanted.starve.count() != 0;
  const auto interval =
      starves ? std::clamp<std::chrono::nanoseconds>(wanted.starve / looks_within, 100us, usual)
              : usual;
  platform::set_thread_name("heist-check");
  hang_watch hangs;
  starvation_watch starvation(wanted.starve);
  std::chrono::nanoseconds slept{0};
  for (;;) {
    std::this_thread::sleep_for(interval);
    slept += interval;
    try {
      if (starves) std::fputs(starvation.look().c_str(), stderr);
      if (wanted.waits && slept >= usual) {
        slept = 0ns;
        hangs.look();
      }
    } catch (const std::bad_alloc&) {  // it looks again
    }
  }
}

// When the library is loaded, so that objects which are made before the first pool are known. What
// is wrong with the variable is told by the first pool.
[[gnu::constructor]] void check_from_the_start() noexcept {
  try {
    if (checks_from_environment().waits) checking_waits.store(true, std::memory_order_relaxed);
  } catch (const std::exception&) {
  }
}

}  // namespace

void watch_for_hangs(const check_settings& wanted) {
  if (!wanted.waits && wanted.starve.count() == 0) return;
  if (wanted.waits) checking_waits.store(true, std::memory_order_relaxed);
  pools_made.fetch_add(1, std::memory_order_relaxed);
  const unsigned me = platform::process_generation() + 1;
  // Relaxed: only the first caller does what follows.
  if (watched.exchange(me, std::memory_order_relaxed) == me) return;
  const platform::signals_held hold;
  auto thread = platform::try_start_thread([wanted] { watch(wanted); });
  if (!thread) {
    const int refused = errno;
    watched.store(0, std::memory_order_relaxed);
    throw resource_error("HEIST_CHECK: the system refused a thread: " +
                         std::string(std::strerror(refused)));
  }
  thread->detach();
}

}  // namespace heist::inline v0::detail
