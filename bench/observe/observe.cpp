// Measures what looking on costs: the same programs with nobody looking, with a trace, with
// histograms (stats_kind::timed), with every put and take counted (stats_kind::full), and with the
// profile of work and span. And one event of a trace, on its own.
//
// The programs: a tree of forks whose leaves compute for 10 us each, fib, whose leaves do nothing,
// and as many submitted functions of 10 us.
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "bench/rounds.hpp"
#include "heist/fork_join.hpp"
#include "heist/trace.hpp"
#include "heist/work_span.hpp"

namespace heist::bench {

namespace {

using workloads::integer_option;

constexpr double most_by_trace = 1.02;
constexpr double most_event_ns = 15;

enum class onlooker { none, trace, timed, full, profile };
constexpr onlooker all_onlookers[] = {onlooker::none, onlooker::trace, onlooker::timed,
                                      onlooker::full, onlooker::profile};
constexpr const char* names[] = {"nobody looks", "trace", "histograms", "full counters", "profile"};

std::string file_of_trace() {
  return (std::filesystem::temp_directory_path() /
          fmt::format("heist-bench-observe-{}.htrace", ::getpid()))
      .string();
}

// A pool that somebody looks at, from its beginning to its end.
class observed_pool {
 public:
  observed_pool(onlooker who, unsigned workers) : who_(who) {
    if (who == onlooker::profile) start_work_span();
    pool_.emplace(pool_config{.workers = workers,
                              .stats = who == onlooker::timed  ? stats_kind::timed
                                       : who == onlooker::full ? stats_kind::full
                                                               : stats_kind::slow_path});
    if (who == onlooker::trace) pool_->start_trace();
  }
  ~observed_pool() {
    if (who_ == onlooker::trace) {
      pool_->stop_trace(file_of_trace());
      std::filesystem::remove(file_of_trace());
    }
    pool_.reset();
    if (who_ == onlooker::profile) static_cast<void>(stop_work_span());
  }
  observed_pool(const observed_pool&) = delete;
  observed_pool& operator=(const observed_pool&) = delete;
  pool& get() { return *pool_; }

 private:
  onlooker who_;
  std::optional<whole_pool> pool_;
};

std::uint64_t compute(std::uint64_t steps) {
  std::uint64_t x = steps;
  for (std::uint64_t i = 0; i < steps; ++i) {
    x = x * 6364136223846793005U + 1442695040888963407U;
    asm volatile("" : "+r"(x));
  }
  return x != 0 ? 1 : 0;
}

std::uint64_t tree(std::uint64_t leaves, std::uint64_t steps) {
  if (leaves == 1) return compute(steps);
  const auto [a, b] = fork_join([=] { return tree(leaves / 2, steps); },
                                [=] { return tree(leaves - leaves / 2, steps); });
  return a + b;
}

std::uint64_t fib(std::uint64_t n) {
  if (n < 2) return n;
  const auto [a, b] = fork_join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

std::uint64_t submitted(pool& p, std::uint64_t count, std::uint64_t steps) {
  std::vector<future<std::uint64_t>> all;
  all.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) all.push_back(p.submit([=] { return compute(steps); }));
  std::uint64_t sum = 0;
  for (auto& each : all) sum += each.get();
  return sum;
}

struct program {
  std::string name;
  std::function<std::uint64_t(pool&)> run;
  std::uint64_t expected;
  bool is_bounded;  // by the target
  std::vector<samples> seconds = std::vector<samples>(std::size(all_onlookers));
};

// How many steps take ten microseconds.
std::uint64_t steps_of_10us() {
  constexpr std::uint64_t many = 1'000'000;
  double least = seconds_of([] { compute(many); });
  for (int i = 0; i < 4; ++i) least = std::min(least, seconds_of([] { compute(many); }));
  return static_cast<std::uint64_t>(10e-6 / (least / many));
}

double ns_of_event(bool is_on, std::uint64_t count) {
  observed_pool p(is_on ? onlooker::trace : onlooker::none, 1);
  trace_counter("event", 0);
  const double seconds = seconds_of([=] {
    for (std::uint64_t i = 0; i < count; ++i) trace_counter("event", 1);
  });
  return seconds / static_cast<double>(count) * 1e9;
}

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {integer_option("leaves", "of the tree, and functions submitted", quick ? 200 : 20'000, 1,
                         10'000'000),
          integer_option("n", "of fib", quick ? 15 : 32, 1, 40),
          integer_option("events", "how often one event is recorded", quick ? 10'000 : 2'000'000, 1,
                         1'000'000'000)};
}

std::vector<program> all_programs(const workloads::option_values& values) {
  const auto leaves = static_cast<std::uint64_t>(values.size("leaves"));
  const auto n = static_cast<std::uint64_t>(values.size("n"));
  const std::uint64_t steps = steps_of_10us();
  const std::uint64_t calls = whole_pool({.workers = 1}).run([n] { return fib(n); });
  return {{"tree with leaves of 10 us",
           [=](pool& p) { return p.run([=] { return tree(leaves, steps); }); }, leaves, true},
          {"functions of 10 us, submitted", [=](pool& p) { return submitted(p, leaves, steps); },
           leaves, true},
          {fmt::format("fib({})", n), [=](pool& p) { return p.run([=] { return fib(n); }); }, calls,
           false}};
}

void time_all(std::vector<program>& programs, unsigned workers) {
  for (program& each : programs)
    for (const onlooker who : all_onlookers) {
      observed_pool p(who, workers);
      each.seconds[static_cast<std::size_t>(who)].add(
          seconds_of([&] { check_result(each.name, each.expected, each.run(p.get())); }));
    }
}

void report_program(const program& each, results& r) {
  const double alone = each.seconds.front().median();
  for (const onlooker who : all_onlookers) {
    const auto i = static_cast<std::size_t>(who);
    r.rows.push_back({fmt::format("{}, {}", each.name, names[i]),
                      {{"time", "s", each.seconds[i]},
                       {"to nobody", "", samples({each.seconds[i].median() / alone})}},
                      {},
                      each.name});
  }
  if (!each.is_bounded) return;
  target t{
      each.name + ", with a trace to without", "", bound::at_most, most_by_trace, std::nullopt, {}};
  t.measured = each.seconds[static_cast<std::size_t>(onlooker::trace)].median() / alone;
  r.targets.push_back(t);
}

results run(const workloads::option_values& values, const settings& with) {
  const unsigned workers = workers_of(with);
  const auto events = static_cast<std::uint64_t>(values.size("events"));
  std::vector<program> programs = all_programs(values);
  samples on;
  samples off;
  for (unsigned round = 1; round <= with.repeat; ++round) {
    with.announce(fmt::format("round {} of {}", round, with.repeat));
    time_all(programs, workers);
    on.add(ns_of_event(true, events));
    off.add(ns_of_event(false, events));
  }
  results r;
  r.title = fmt::format("what looking on costs, {} workers; {} rounds", workers, with.repeat);
  for (const program& each : programs) report_program(each, r);
  r.rows.push_back({"an event, with a trace", {{"time", "ns", on}}, {}, "event"});
  r.rows.push_back({"an event, without", {{"time", "ns", off}}, {}, "event"});
  target t{"an event of a trace", "ns", bound::at_most, most_event_ns, std::nullopt, {}};
  t.measured = on.median();
  r.targets.push_back(t);
  return r;
}

}  // namespace

benchmark observe_benchmark() {
  return {"observe", "what a trace, histograms, counters and a profile cost", &options, &run};
}

}  // namespace heist::bench
