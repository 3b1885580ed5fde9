// What it costs that a deque has a lock, where workers lose their processors: a program that forks
// all the time, under deques that don't block, with locks whose waiters sleep, and with locks for
// which they spin.
#include <algorithm>
#include <deque>

#include <fmt/format.h>

#include <heist/presets.hpp>

#include "bench/fork_join/fib.hpp"
#include "bench/multiprogrammed/competitor.hpp"
#include "bench/rounds.hpp"

namespace heist::bench {

namespace {

using workloads::integer_option;

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {
      integer_option("fib", "which Fibonacci number, a fork at every call", quick ? 12 : 30, 2, 40),
      integer_option("most", "workers", quick ? 32 : 64, 1, 1024),
      integer_option("competitors", "processes that spin", 1, 0, 64)};
}

struct side {
  std::string name;
  pool_config config;
};

std::vector<side> sides() {
  auto mutex = presets::abp();
  mutex.deque = deque_kind::locked;
  return {
      {"non-blocking", presets::abp()}, {"mutex", mutex}, {"spinning lock", presets::abp_locked()}};
}

struct cell {
  std::string side;
  unsigned workers;
  unsigned competitors;
  contestant* turn = nullptr;
};

results run(const workloads::option_values& values, const settings& with) {
  const auto n = values.size("fib");
  const auto expected = serial::fib(n);
  std::vector<unsigned> sizes;
  for (unsigned p = 1; p <= values.size("most"); p *= 2) sizes.push_back(p);
  if (with.workers != 0) sizes = {with.workers};
  const competitor beside(static_cast<unsigned>(values.size("competitors")));
  std::vector<unsigned> crowds = {0};
  if (values.size("competitors") != 0)
    crowds.push_back(static_cast<unsigned>(values.size("competitors")));

  contest turns;
  std::deque<cell> all;  // whose addresses the turns keep
  for (const unsigned crowd : crowds)
    for (const unsigned workers : sizes)
      for (const auto& each : sides()) {
        auto& added = all.emplace_back(cell{each.name, workers, crowd});
        auto config = each.config;
        config.workers = workers;
        const auto name = fmt::format("{}, P = {}, {} competing", each.name, workers, crowd);
        added.turn = &turns.add(name, [&beside, config, crowd, n, expected, name] {
          whole_pool on(config);  // for this turn only: its idle workers never sleep
          if (crowd != 0) beside.resume();
          const double seconds =
              time_checked(name, expected, [&] { return on.run([n] { return forked::fib(n); }); });
          if (crowd != 0) beside.pause();
          return seconds;
        });
      }
  turns.play(with);

  results result;
  result.title = fmt::format("fib({}), {} forks, under deques with and without locks; {} rounds", n,
                             forks_of_fib(n), with.repeat);
  result.source = "Arora, Blumofe and Plaxton 1998, section 5";
  for (const unsigned crowd : crowds) {
    report::chart chart{fmt::format("Time to that of non-blocking deques, {} competing", crowd),
                        {"workers, P", report::axis_scale::log2},
                        {.label = "time to non-blocking", .least = 0},
                        {}};
    for (const auto& each : sides()) chart.all.push_back({each.name});
    for (std::size_t i = 0; i < all.size(); ++i) {
      const cell& of = all[i];
      if (of.competitors != crowd) continue;
      const auto which = i % chart.all.size();
      const samples to = ratio(of.turn->results, all[i - which].turn->results);
      result.rows.push_back(
          {fmt::format("{}, P = {}", of.side, of.workers),
           {{"time", "ms", scaled(of.turn->results, 1e3)}, {"to non-blocking", "", to}},
           {},
           fmt::format("{} competing", crowd)});
      const report::distribution d(to);
      chart.all[which].points.push_back(
          {static_cast<double>(of.workers), d.median, d.least, d.greatest});
    }
    result.charts.push_back(std::move(chart));
  }
  result.notes = {
      "All three steal and yield as the preset abp does: what differs is the deque (abp, locked, "
      "spin_locked of heist run --deque)",
      "The paper calls the loss dramatic. Its kernel took processors away at any time; this one "
      "does "
      "so at the end of a turn of some ms, or where a thread yields or sleeps, so a worker seldom "
      "loses its processor in the tens of ns in which it holds a lock"};
  return result;
}

}  // namespace

benchmark locks_benchmark() {
  return {"locks", "deques with and without locks, where workers lose processors", &options, &run};
}

}  // namespace heist::bench
