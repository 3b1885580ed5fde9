// Measures entering a pool from outside, by pool.run of a function that does nothing.
//
// The caller sleeps until the function has run, so an entry costs at least one wake-up, and two if
// the pool was asleep. For comparison, the same is measured with a bare futex and nothing else.
// Then several threads enter at the same time, as often as they can.
#include <algorithm>
#include <atomic>
#include <thread>

#include <fmt/format.h>

#include "bench/rounds.hpp"
#include "bench/wake/futex_pair.hpp"
#include "bench/wake/others_sleep.hpp"

namespace heist::bench {

namespace {

using workloads::integer_option;

constexpr auto patience = std::chrono::seconds(1);

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {
      integer_option("samples", "entries measured in each round", quick ? 20 : 1000, 1, 1'000'000),
      integer_option("idle-us", "pause before an entry into a pool asleep", 2000, 100, 10'000'000),
      integer_option("crowd-ms", "how long threads enter at once", quick ? 10 : 200, 1, 600'000),
      integer_option("crowd", "threads at most that enter at once", 8, 1, 256)};
}

// Makes one entry, and checks that the function returns what was passed in.
void enter(pool& on, std::uint64_t token) {
  check_result("entry", token, on.run([token] { return token; }));
}

void let_everybody_sleep(clock::duration idle) {
  std::this_thread::sleep_for(idle);
  static_cast<void>(wait_until_others_sleep(patience));
}

double entry_us(pool& on, std::uint64_t token) {
  return seconds_of([&] { enter(on, token); }) * 1e6;
}

struct latencies_us {
  samples awake, asleep, bare;
};

void measure_latency(pool& on, futex_pair& pair, std::size_t count, clock::duration idle,
                     latencies_us& found) {
  for (std::size_t i = 0; i < count; ++i) found.awake.add(entry_us(on, i));
  for (std::size_t i = 0; i < std::max<std::size_t>(count / 10, 1); ++i) {
    let_everybody_sleep(idle);
    found.asleep.add(entry_us(on, i));
    let_everybody_sleep(idle);
    found.bare.add(pair.round_trip() * 1e6);
  }
}

// The number of entries in a second by all threads together.
double enter_at_once(pool& on, unsigned threads, clock::duration time) {
  std::atomic<std::uint64_t> entries{0};
  std::atomic<bool> is_wrong{false};
  const auto start = clock::now();
  {
    std::vector<std::jthread> crowd;
    crowd.reserve(threads);
    for (unsigned i = 0; i < threads; ++i)
      crowd.emplace_back([&, i] {
        std::uint64_t mine = 0;
        for (; clock::now() - start < time; ++mine) {
          const std::uint64_t token = mine * threads + i;
          // Both are relaxed, because they are read after the threads have ended.
          if (on.run([token] { return token; }) != token)
            is_wrong.store(true, std::memory_order_relaxed);
        }
        entries.fetch_add(mine, std::memory_order_relaxed);
      });
  }
  const double seconds = seconds_since(start);
  if (is_wrong.load(std::memory_order_relaxed))
    throw wrong_result("an entry got the result of another one");
  return static_cast<double>(entries.load(std::memory_order_relaxed)) / seconds;
}

struct crowd_of {
  unsigned threads;
  samples entries_a_second{};
};

results run(const workloads::option_values& values, const settings& with) {
  const auto count = values.size("samples");
  const std::chrono::microseconds idle(values.integer("idle-us"));
  const std::chrono::milliseconds crowd_time(values.integer("crowd-ms"));
  const unsigned workers = workers_of(with);
  whole_pool on({.workers = workers});
  futex_pair pair;
  latencies_us found;
  std::vector<crowd_of> crowds;
  for (unsigned threads = 1; threads <= values.size("crowd"); threads *= 2)
    crowds.push_back({threads});

  for (unsigned round = 1; round <= with.repeat; ++round) {
    with.announce(fmt::format("round {} of {}", round, with.repeat));
    measure_latency(on, pair, count, idle, found);
    for (auto& each : crowds)
      each.entries_a_second.add(enter_at_once(on, each.threads, crowd_time));
  }

  results result;
  result.title = fmt::format("an empty function, {} workers; {} rounds", workers, with.repeat);
  result.rows = {
      {"one after another, pool awake", {{"latency", "us", found.awake}}, {}},
      {fmt::format("after {} us, pool asleep", idle.count()),
       {{"latency", "us", found.asleep}},
       {}},
      {"bare futex there and back, asleep", {{"latency", "us", found.bare}}, "the floor"}};
  for (const auto& each : crowds)
    result.rows.push_back(
        {fmt::format("{} thread{} at once", each.threads, each.threads == 1 ? "" : "s"),
         {{"entries a second", "", each.entries_a_second}},
         {}});
  return result;
}

}  // namespace

benchmark entry_benchmark() {
  return {"entry", "entering a pool from outside: latency and throughput", &options, &run};
}

}  // namespace heist::bench
