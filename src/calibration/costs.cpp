// Measures each cost by a program in which nothing else happens. Where a thief takes part, the
// thief itself notes when it began. A sample is left out where it took no part because the system
// had given its processor to others.
#include "calibration/costs.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <map>
#include <numeric>
#include <thread>

#include <fmt/format.h>

#include <heist/error.hpp>
#include <heist/fork_join.hpp>
#include <heist/pool.hpp>

#include "bench/rounds.hpp"
#include "bench/wake/others_sleep.hpp"
#include "platform/affinity.hpp"
#include "platform/cpu_count.hpp"
#include "platform/machine_load.hpp"
#include "platform/topology.hpp"
#include "runtime/core/environment.hpp"
#include "workloads/fib/fib.hpp"

namespace heist::calibration {

namespace {

using bench::clock;
using bench::seconds_of;
using report::samples;

// A thief that hasn't come by then won't come.
constexpr auto patience = std::chrono::milliseconds(200);

double ns(clock::duration time) { return std::chrono::duration<double, std::nano>(time).count(); }

void spin_for(clock::duration time) {
  const auto end = clock::now() + time;
  while (clock::now() < end) {
  }
}

// A signal that one thread gives another, once.
class signal {
 public:
  void give() {
    at_ = clock::now();
    is_given_.store(true, std::memory_order_release);  // partner: the acquire in is_given()
  }
  [[nodiscard]] bool is_given() const {
    // Partner: the release in give(); at_ is read after it.
    return is_given_.load(std::memory_order_acquire);
  }
  // Calls `meanwhile` until the signal is given. Returns false if that takes longer than
  // `patience`.
  template <class Function>
  bool wait(Function meanwhile) const {
    const auto give_up = clock::now() + patience;
    while (!is_given()) {
      meanwhile();
      if (clock::now() > give_up) return false;
    }
    return true;
  }
  [[nodiscard]] clock::time_point at() const { return at_; }

 private:
  std::atomic<bool> is_given_{false};
  clock::time_point at_{};
};

constexpr auto nothing = [] {};
// A push answers requests.
constexpr auto fork_nothing = [] { fork_join([] {}, [] {}); };

// Takes `count` samples on a worker; fewer where that would take longer than `time`, but at least
// one. On a busy machine most samples may fail, as the other worker has no processor.
template <class Sample>
void take(std::size_t count, clock::duration time, const std::string& name, samples& taken,
          Sample sample) {
  constexpr auto last_chance = std::chrono::seconds(10);
  const auto before = taken.size();
  const auto start = clock::now();
  while (taken.size() < before + count) {
    sample(taken);
    const auto took = clock::now() - start;
    if (took > last_chance && taken.empty())
      throw resource_error(
          fmt::format("{} can't be measured: no other worker took part in {} s", name,
                      std::chrono::duration_cast<std::chrono::seconds>(took).count()));
    if (took > time && !taken.empty()) return;
  }
}

// --- one worker ----------------------------------------------------------------------------------

[[gnu::noinline]] std::uint64_t plain_loop(std::uint64_t x, std::uint64_t steps) {
  for (; steps > 0; --steps) x = x * 6364136223846793005U + 1442695040888963407U;
  return x;
}
volatile std::uint64_t sink;  // so that the compiler keeps the loops

double instruction_ns(std::uint64_t steps) {
  return seconds_of([&] { sink = plain_loop(1, steps); }) * 1e9 / static_cast<double>(steps);
}

constexpr int in_turn = 11;  // runs of each kind, in turn; their medians are compared

// How many times as long a serial program takes while each other processor runs another one.
double busy_factor(unsigned threads, std::uint64_t n) {
  const auto run_one = [n](unsigned) {
    return seconds_of([n] { sink = workloads::fib_serial(n); });
  };
  samples alone, beside;
  for (int i = 0; i < in_turn; ++i) {
    alone.add(seconds_beside(1, run_one));
    beside.add(seconds_beside(threads, run_one));
  }
  return beside.median() / alone.median();
}

// --- two workers ---------------------------------------------------------------------------------

// The time from a fork to the thief's first instruction. Runs on a worker of a pool whose workers
// never sleep.
void sample_steal(samples& taken) {
  // By then the thief has ended the last job and looks for work.
  spin_for(std::chrono::microseconds(2));
  signal started;
  bool came = false;
  const auto start = clock::now();
  fork_join([&] { came = started.wait(fork_nothing); }, [&] { started.give(); });
  if (came) taken.add(ns(started.at() - start));
}

// The same where the victim's work is private and the victim doesn't fork: the thief takes an outer
// job, ends it when the victim has pushed an inner one, and comes back for the inner one.
void sample_quiet_steal(samples& taken) {
  signal outer, pushed, ended, inner;
  bool came = false;
  fork_join(
      [&] {
        if (!outer.wait(fork_nothing)) return;
        fork_join(
            [&] {
              pushed.give();
              came = inner.wait(nothing);
            },
            [&] { inner.give(); });
      },
      [&] {
        outer.give();
        static_cast<void>(pushed.wait(nothing));
        ended.give();
      });
  if (came && ended.is_given() && inner.at() > ended.at()) taken.add(ns(inner.at() - ended.at()));
}

// The time from the end of a stolen job until the frame that waits for it is resumed, on the thief.
void sample_resume(samples& taken) {
  signal started, leaving, ended;
  const int here = this_worker::index();
  fork_join(
      [&] {
        static_cast<void>(started.wait(fork_nothing));
        leaving.give();
      },
      [&] {
        started.give();
        static_cast<void>(leaving.wait(nothing));
        // By then the other half has ended, and the join is suspended.
        spin_for(std::chrono::microseconds(20));
        ended.give();
      });
  const auto now = clock::now();
  if (this_worker::index() != here) taken.add(ns(now - ended.at()));
}

double failed_attempt_ns(pool& spinning, clock::duration time) {
  const auto before = spinning.stats().total.failed_steals;
  const auto start = clock::now();
  spin_for(time);
  const double took = ns(clock::now() - start);
  const auto failed = spinning.stats().total.failed_steals - before;
  const auto thieves = spinning.workers() - 1;
  return failed == 0 ? took : took * thieves / static_cast<double>(failed);
}

struct wake_samples {
  samples wake_ns, waking_ns, awake_ns;
};

void sample_wake(pool& sleeping, wake_samples& taken) {
  if (!bench::wait_until_others_sleep(patience)) return;
  const auto before = sleeping.stats().total.wakes;
  signal first, second;
  bool came = false;
  const auto start = clock::now();
  fork_join(
      [&] {
        first.give();
        came = second.wait(nothing);
      },
      [&] { second.give(); });
  const auto end = clock::now();
  if (!came || sleeping.stats().total.wakes == before) return;
  if (!bench::wait_until_others_sleep(patience)) return;
  taken.awake_ns.add(ns(clock::now() - end));
  taken.wake_ns.add(ns(second.at() - start));
  taken.waking_ns.add(ns(first.at() - start));
}

// --- distances -----------------------------------------------------------------------------------

// Finds a pair of processors for each kind of distance on this machine.
std::vector<measured_distance> find_distances(const platform::topology& shape) {
  const auto cpus = platform::affinity_cpus();
  std::map<platform::proximity, measured_distance> found;
  for (const int a : cpus) {
    std::map<platform::proximity, std::uint32_t> at;
    for (const int b : cpus) {
      if (a == b) continue;
      const auto how = shape.distance(a, b);
      ++at[how];
      found.try_emplace(how, measured_distance{std::string(to_string(how)), 0, a, b, {}, {}});
    }
    std::uint32_t within = 1;
    for (const auto& [how, count] : at) {
      within += count;
      found[how].processors = std::max(found[how].processors, within);
    }
  }
  std::vector<measured_distance> result;
  for (auto& [how, each] : found) result.push_back(std::move(each));
  return result;
}

// Runs in a thread of its own, whose affinity mask the pool's threads inherit.
void measure_distance(measured_distance& pair, std::size_t count, clock::duration time) {
  bool is_refused = false;
  std::jthread([&] {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(static_cast<std::size_t>(pair.first), &mask);
    CPU_SET(static_cast<std::size_t>(pair.second), &mask);
    is_refused = sched_setaffinity(0, sizeof mask, &mask) != 0;
    if (is_refused) return;
    bench::whole_pool two(
        {.workers = 2, .idle = idle_kind::spin, .placement = placement_kind::pinned});
    two.run([&] { take(count, time, "steal_ns", pair.steal_ns, sample_steal); });
    two.run(
        [&] { pair.failed_attempt_ns.add(failed_attempt_ns(two, std::chrono::milliseconds(2))); });
  }).join();
  if (is_refused) throw resource_error("the system refuses to bind a thread to two processors");
}

// --- all of it -----------------------------------------------------------------------------------

}  // namespace

// How much longer fib takes with forks than without, divided by the number of forks.
double measure_fork_ns(pool& one, std::uint64_t n) {
  const auto forks = static_cast<double>(workloads::fib_serial(n + 1) - 1);
  samples serial, forked;
  one.run([&] {  // both here: another thread's processor may be faster at the moment
    for (int i = 0; i < in_turn; ++i) {
      serial.add(seconds_of([&] { sink = workloads::fib_serial(n); }));
      forked.add(seconds_of([&] { sink = workloads::fib(n); }));
    }
  });
  return std::max(0.0, (forked.median() - serial.median()) * 1e9 / forks);
}

double seconds_beside(unsigned threads, const std::function<double(unsigned)>& run,
                      const std::function<void(unsigned)>& prepare) {
  std::vector<double> took(threads);
  const std::vector<int> cpus = platform::affinity_cpus();
  {
    std::barrier ready(static_cast<std::ptrdiff_t>(threads));
    std::vector<std::jthread> all;
    for (unsigned i = 0; i < threads; ++i)
      all.emplace_back([&, i] {
        // Otherwise the system may leave two on one for some milliseconds, which looks like a busy
        // machine. A refusal leaves it where the system puts it.
        if (!cpus.empty()) static_cast<void>(platform::pin_this_thread(cpus[i % cpus.size()]));
        prepare(i);
        ready.arrive_and_wait();
        took[i] = run(i);
      });
  }
  return std::accumulate(took.begin(), took.end(), 0.0) / threads;
}

const report::samples& measured_costs::values(std::string_view name) const {
  const auto found = std::find_if(costs.begin(), costs.end(),
                                  [&](const measured_cost& each) { return each.name == name; });
  return found->values;
}

std::vector<std::string> measured_costs::doubts() const {
  constexpr double most = 5;  // times the least; the costs of a quiet machine have some 1.3
  std::vector<std::string> result;
  if (machine.load > machine.processors)
    result.push_back(fmt::format("the load was {:.1f} before, on {} processors", machine.load,
                                 machine.processors));
  if (const std::string busy = platform::words_about(machine.others); !busy.empty())
    result.push_back(busy);
  const auto look_at = [&](const std::string& name, const report::samples& values) {
    const double times = values.median() / values.least();
    if (times > most)
      result.push_back(fmt::format("the median of {} is {:.0f} times the least", name, times));
  };
  for (const auto& each : costs) look_at(each.name, each.values);
  for (const auto& each : distances) {
    look_at(fmt::format("steal_ns within {}", each.name), each.steal_ns);
    look_at(fmt::format("failed_attempt_ns within {}", each.name), each.failed_attempt_ns);
  }
  return result;
}

lab::cost_model measured_costs::model(const lab::measured_figure& figure) const {
  lab::cost_model result;
  const auto cost = [&](std::string_view name) { return values(name).quantile(figure.quantile); };
  result.instruction_ns = cost("instruction_ns");
  result.fork_ns = cost("fork_ns");
  result.steal_ns = cost("steal_ns");
  result.failed_attempt_ns = std::max(1.0, cost("failed_attempt_ns"));
  result.quiet_steal_ns = cost("quiet_steal_ns");
  result.suspend_ns = cost("suspend_ns");
  result.wake_ns = cost("wake_ns");
  result.waking_ns = cost("waking_ns");
  result.awake_ns = cost("awake_ns");
  result.busy_factor = cost("busy_factor");
  for (const auto& each : distances)
    result.distances.push_back({each.processors, each.steal_ns.quantile(figure.quantile),
                                std::max(1.0, each.failed_attempt_ns.quantile(figure.quantile))});
  return result;
}

measured_costs measure_costs(const measure_settings& settings,
                             const std::function<void(const std::string&)>& announce) {
  measured_costs result;
  result.machine = bench::this_machine();
  result.workers = settings.workers;
  if (detail::serial_elision())
    throw usage_error("HEIST_SERIAL is set: nothing would be stolen that could be measured");
  if (result.machine.processors < 2)
    throw resource_error(
        "costs of steals are measured on two processors at least, and this is one");
  const std::uint64_t n = settings.is_quick ? 24 : 32;  // for fib(n)
  const std::uint64_t steps = settings.is_quick ? 100'000 : 10'000'000;
  const std::size_t count = settings.is_quick ? 10 : 200;
  // For the samples of one kind.
  const std::chrono::milliseconds time(settings.is_quick ? 200 : 3000);
  const auto load = platform::load_topology();
  result.topology = load.found ? load.found->summary() : "unknown: " + load.reason;
  if (load.found) result.distances = find_distances(*load.found);

  samples instruction, fork, busy, steal, quiet, resume, failed;
  wake_samples wake;
  for (unsigned round = 1; round <= settings.repeat; ++round) {
    announce(fmt::format("round {} of {}", round, settings.repeat));
    instruction.add(instruction_ns(steps));
    {
      bench::whole_pool one({.workers = 1});
      fork.add(measure_fork_ns(one, n));
    }
    busy.add(busy_factor(settings.workers, n));
    {
      bench::whole_pool two({.workers = 2, .idle = idle_kind::spin});
      two.run([&] { take(count, time, "steal_ns", steal, sample_steal); });
      // Where workers park, jobs as small as these send a thief to sleep for a while (ADR 12).
      two.run([&] { take(count / 2, time, "quiet_steal_ns", quiet, sample_quiet_steal); });
      two.run([&] { take(count, time, "suspend_ns", resume, sample_resume); });
      two.run([&] { failed.add(failed_attempt_ns(two, std::chrono::milliseconds(2))); });
    }
    {
      bench::whole_pool two({.workers = 2});
      two.run([&] {
        take(count / 5, time, "wake_ns", wake.wake_ns, [&](samples&) { sample_wake(two, wake); });
      });
    }
    for (auto& each : result.distances) measure_distance(each, count, time);
  }
  result.costs = {{"instruction_ns", instruction, "a step of a plain loop"},
                  {"fork_ns", fork, "a fork and its join that nobody steals"},
                  {"steal_ns", steal, "a fork until a thief that is awake runs it"},
                  {"failed_attempt_ns", failed, "an attempt that finds nothing"},
                  {"quiet_steal_ns", quiet, "a steal from an owner that doesn't fork"},
                  {"suspend_ns", resume, "to resume a suspended join"},
                  {"wake_ns", wake.wake_ns, "a fork until a thief that slept runs it"},
                  {"waking_ns", wake.waking_ns, "what waking costs the one that forks"},
                  {"awake_ns", wake.awake_ns, "an idle worker until it sleeps"},
                  {"busy_factor", busy, "a serial program beside others, to one alone"}};
  return result;
}

}  // namespace heist::calibration
