// Measures the cost of a pool that has nothing to do, after it has had work.
#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "bench/fork_join/fib.hpp"
#include "bench/processor_time.hpp"
#include "bench/rounds.hpp"

namespace heist::bench {

namespace {

using workloads::integer_option;

constexpr double idle_limit_percent = 0.1;
constexpr unsigned many_workers = 64;
constexpr auto settling = std::chrono::milliseconds(200);  // ten times the nap after the last work

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {integer_option("idle-ms", "how long the pool has nothing to do", quick ? 100 : 5000, 10,
                         3'600'000),
          integer_option("n", "fib of what, before it", quick ? 16 : 30, 2, 60)};
}

struct usage {
  samples percent;   // of one processor
  samples switches;  // per second; mostly wake-ups
};

void idle_away(std::chrono::milliseconds time, usage& used) {
  std::this_thread::sleep_for(settling);
  const auto start = clock::now();
  const auto before = processor_time::now();
  std::this_thread::sleep_for(time);
  const auto after = processor_time::now();
  const double wall = seconds_since(start);
  used.percent.add(100 * (after.seconds - before.seconds) / wall);
  used.switches.add(static_cast<double>(after.switches - before.switches) / wall);
}

void warm_up_and_idle(const pool_config& config, std::uint64_t n, std::chrono::milliseconds time,
                      usage& used) {
  whole_pool on(config);
  check_result("the work before idling", fib_by_addition(n),
               on.run([=] { return forked::fib(n); }));
  idle_away(time, used);
}

row as_row(std::string name, const usage& used) {
  return {std::move(name),
          {{"of a processor", "%", used.percent}, {"switches a second", "", used.switches}},
          {}};
}

results run(const workloads::option_values& values, const settings& with) {
  const std::chrono::milliseconds time(values.integer("idle-ms"));
  const auto n = static_cast<std::uint64_t>(values.integer("n"));
  const unsigned workers = workers_of(with);
  usage nothing;
  usage some;
  usage many;
  for (unsigned round = 1; round <= with.repeat; ++round) {
    with.announce(fmt::format("round {} of {}", round, with.repeat));
    idle_away(time, nothing);
    warm_up_and_idle({.workers = workers}, n, time, some);
    warm_up_and_idle({.workers = many_workers}, n, time, many);
  }
  results result;
  result.title = fmt::format("{} ms idle after fib({}); {} rounds", time.count(), n, with.repeat);
  result.rows = {as_row("no pool", nothing), as_row(fmt::format("{} workers", workers), some),
                 as_row(fmt::format("{} workers", many_workers), many)};
  result.targets = {{"processor time of an idle pool", "%", bound::at_most, idle_limit_percent,
                     some.percent.median(), ""}};
  return result;
}

}  // namespace

benchmark idle_benchmark() {
  return {"idle", "processor time of a pool that has nothing to do", &options, &run};
}

}  // namespace heist::bench
