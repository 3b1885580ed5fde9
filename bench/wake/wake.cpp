// Measures the time from the first fork after idling until a thief runs the forked function.
//
// A function on one worker does nothing for a while and until all other threads are asleep; then it
// forks, and its first half spins until the second one has started elsewhere. For comparison, at
// the same intervals, one thread wakes two others by bare futexes: one may then run on the waker's
// processor, and the other is kept off it. No runtime can do better.
#include <algorithm>
#include <atomic>

#include <fmt/format.h>

#include <heist/fork_join.hpp>

#include "bench/rounds.hpp"
#include "bench/wake/futex_pair.hpp"
#include "bench/wake/others_sleep.hpp"
#include "platform/affinity.hpp"

namespace heist::bench {

namespace {

using workloads::integer_option;

constexpr double wake_limit_us = 25;
constexpr auto patience = std::chrono::seconds(1);  // after this, no worker will come

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {
      integer_option("samples", "wake-ups measured in each round", quick ? 10 : 300, 1, 100'000),
      integer_option("idle-us", "time without work before each", 2000, 100, 10'000'000)};
}

void spin_for(clock::duration time) {
  const auto end = clock::now() + time;
  while (clock::now() < end) {
  }
}

// Called on a worker. Returns the seconds until the second function started on another worker, or a
// negative number if no worker took it.
double fork_once(clock::duration idle) {
  spin_for(idle);
  static_cast<void>(wait_until_others_sleep(patience));  // if they do not, it counts as awake
  std::atomic<bool> is_running{false};
  clock::time_point started{};
  const auto start = clock::now();
  const auto give_up = start + patience;
  fork_join(
      [&] {
        // Acquire: the partner is the release below; it only ensures that the frame outlives the
        // job's start.
        while (!is_running.load(std::memory_order_acquire) && clock::now() < give_up) {
        }
      },
      [&] {
        started = clock::now();
        is_running.store(true, std::memory_order_release);
      });
  if (started >= give_up) return -1;
  return std::chrono::duration<double>(started - start).count();
}

struct futex_pairs {
  futex_pair free;
  futex_pair elsewhere;
};

struct findings {
  samples forks_us;
  samples futex_us;
  samples elsewhere_us;  // the same, to another processor
  samples awake;         // samples of a round that found a worker awake, and are left out
  samples unheard;       // forks that nobody took
};

void play_round(pool& on, futex_pairs& pairs, std::size_t count, clock::duration idle,
                findings& found) {
  double awake = 0;
  double unheard = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto before = on.stats().total.wakes;
    const double took = on.run([=] { return fork_once(idle); });
    if (took < 0)
      ++unheard;
    else if (on.stats().total.wakes == before)
      ++awake;
    else
      found.forks_us.add(took * 1e6);
    spin_for(idle);
    static_cast<void>(wait_until_others_sleep(patience));
    found.futex_us.add(pairs.free.wake() * 1e6);
    const int here = platform::current_cpu();
    pairs.elsewhere.keep_off(here);
    spin_for(idle);
    static_cast<void>(wait_until_others_sleep(patience));
    if (platform::current_cpu() == here) found.elsewhere_us.add(pairs.elsewhere.wake() * 1e6);
  }
  found.awake.add(awake);
  found.unheard.add(unheard);
}

results run(const workloads::option_values& values, const settings& with) {
  const auto count = values.size("samples");
  const std::chrono::microseconds idle(values.integer("idle-us"));
  const unsigned workers = std::max(workers_of(with), 2u);
  whole_pool on({.workers = workers});
  futex_pairs pairs;
  findings found;
  for (unsigned round = 1; round <= with.repeat; ++round) {
    with.announce(fmt::format("round {} of {}", round, with.repeat));
    play_round(on, pairs, count, idle, found);
  }
  results result;
  result.title =
      fmt::format("{} times in each of {} rounds, each after {} us without work, {} workers", count,
                  with.repeat, idle.count(), workers);
  result.rows = {{"fork to thief running", {{"time", "us", found.forks_us}}, {}},
                 {"bare futex", {{"time", "us", found.futex_us}}, "wherever the system wakes it"},
                 {"bare futex, elsewhere", {{"time", "us", found.elsewhere_us}}, "the floor"},
                 {"found a worker awake", {{"samples", "", found.awake}}, "left out above"},
                 {"nobody came within 1 s", {{"samples", "", found.unheard}}, "left out above"}};
  target promise{"fork to thief running", "us", bound::at_most, wake_limit_us, {}, ""};
  if (found.forks_us.empty())
    promise.note = "no worker was asleep";
  else
    promise.measured = found.forks_us.median();
  result.targets = {promise};
  return result;
}

}  // namespace

benchmark wake_benchmark() {
  return {"wake", "from the first fork after idling to a thief running", &options, &run};
}

}  // namespace heist::bench
