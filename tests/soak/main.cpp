// The mixed soak: random programs of all constructs, nested in each other, in pools of all kinds,
// for a given time.
//
//     heist_soak --seconds 120                                  as CI does
//     heist_soak --seed N --rounds 1                            repeats a round
//     heist_soak --seconds 60 --config deque=steal_half,join=stalling,idle=spin,workers=8
//
// With the same --config a repeated round has the same pools and programs, but not the same
// scheduling.
//
// A round makes two pools, in which several threads run programs. It compares each result with a
// serial walk of the same tree, and checks that each node was visited once, that exceptions are
// those of nodes that throw and none of them is left, and that all stacks were returned. The
// program exits with 1 at the first mistake. If nothing makes progress, it prints the state of all
// pools and calls abort().
#include <sched.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "heist/heist.hpp"
#include "tests/soak/construct.hpp"
#include "tests/soak/settings.hpp"
#include "tests/soak/watchdog.hpp"
#include "tests/unit/platform/sanitizers.hpp"

namespace heist_soak {
namespace {

using heist_test::asan;
using heist_test::tsan;
using clock = std::chrono::steady_clock;

constexpr int tree_depth = tsan ? 5 : asan ? 6 : 7;

struct options {
  std::uint64_t seconds = 10;
  std::uint64_t rounds = ~std::uint64_t{0};
  std::uint64_t patience = 60;  // seconds
  std::uint64_t seed = std::random_device{}() | std::uint64_t{std::random_device{}()} << 32;
  fixed_choices fixed;
  plant planted = plant::nothing;
};

constexpr const char* usage =
    "usage: heist_soak [--seconds S] [--rounds N] [--seed N] [--patience S] [--config "
    "NAME=VALUE,...]\n"
    "                  [--plant hang|twice]\n"
    "  config: workers, deque, join, spawn, victim, idle, yield, order, stats, as in pool_config\n";

[[noreturn]] void refuse(const char* what, const char* argument) {
  std::fprintf(stderr, "heist_soak: %s '%s'\n%s", what, argument, usage);
  std::exit(2);
}

options parse(int argc, char** argv) {
  options o;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--help") {
      std::fputs(usage, stdout);
      std::exit(0);
    }
    std::uint64_t* const number = name == "--seconds"    ? &o.seconds
                                  : name == "--rounds"   ? &o.rounds
                                  : name == "--patience" ? &o.patience
                                  : name == "--seed"     ? &o.seed
                                                         : nullptr;
    if (number == nullptr && name != "--config" && name != "--plant")
      refuse("no such option", argv[i]);
    if (i + 1 == argc) refuse("no value for", argv[i]);
    const std::string_view value = argv[i + 1];
    bool is_good = false;
    if (number != nullptr) {
      const auto [end, problem] =
          std::from_chars(value.data(), value.data() + value.size(), *number);
      is_good = problem == std::errc() && end == value.data() + value.size();
    } else if (name == "--config") {
      is_good = o.fixed.parse(value);
    } else {
      is_good = value == "hang" || value == "twice";
      o.planted = value == "hang" ? plant::hang : plant::twice;
    }
    if (!is_good) refuse("bad value", argv[i + 1]);
  }
  return o;
}

// The work of a thread outside any pool: it runs the whole tree, entered in one of several ways,
// and compares with the serial walk.
std::uint64_t enter(program& p, const place& root) {
  const auto all = [&root] { return grow(root); };
  switch (p.seed % 4) {
    case 0:
      return p.first.submit(all).get();
    case 1:
      return heist::scope(p.first, [&](heist::task_scope&) { return grow(root); });
    case 2:
      return p.first.run_on(0, all);
    default:
      return p.first.run(all);
  }
}

void run_program(program& p) {
  const place root{p, mixed(p.seed), tree_depth, p.is_calm, false};
  std::uint64_t nodes = 0;
  const std::uint64_t wanted = expected(root, nodes);
  const bool must_throw = has_faults(root);
  try {
    const std::uint64_t got = enter(p, root);
    if (must_throw) fail("an exception was lost", p.seed);
    if (got != wanted) fail("a program has another value than its serial walk", p.seed);
    if (p.visits.load(std::memory_order_relaxed) != nodes)
      fail("nodes were visited another number of times than once", p.seed);
  } catch (const fault& f) {
    if (!must_throw || !throws(p, f.node)) fail("an exception is of no node that throws", f.node);
    if (p.visits.load(std::memory_order_relaxed) > nodes)
      fail("nodes were visited twice beside an exception", p.seed);
  }
}

// The round that runs, for the watchdog.
class current_round {
 public:
  void set(std::string text) {
    const std::lock_guard hold(mutex_);
    text_ = std::move(text);
  }
  std::string get() {
    const std::lock_guard hold(mutex_);
    return text_;
  }

 private:
  std::mutex mutex_;
  std::string text_;  // guarded by mutex_
};

// Every worker's loop has a stack, and spawns may keep some ready; all others must be returned.
void check_stacks(const heist::pool& pool, std::uint64_t seed) {
  const auto limit = clock::now() + std::chrono::seconds(60);
  while (pool.stats().stacks_in_use > pool.workers()) {
    if (clock::now() > limit) fail("stacks have not come back", seed);
    sched_yield();
  }
}

// ---- Health checks: how long a function of high priority waits to begin.

// The thread of a round's checks writes it; two never live at once.
struct {
  std::uint64_t checks = 0;
  std::uint64_t over_1ms = 0, over_10ms = 0, over_100ms = 0;
  std::chrono::nanoseconds all{0}, longest{0};
  std::uint64_t round_of_longest = 0;
} seen;

void note(std::chrono::nanoseconds wait, std::uint64_t round) {
  using namespace std::chrono_literals;
  ++seen.checks;
  seen.all += wait;
  seen.over_1ms += wait > 1ms ? 1 : 0;
  seen.over_10ms += wait > 10ms ? 1 : 0;
  seen.over_100ms += wait > 100ms ? 1 : 0;
  if (wait <= seen.longest) return;
  seen.longest = wait;
  seen.round_of_longest = round;
}

// While it lives, a thread of its own gives the pool such a function every millisecond, and waits
// for it; the destructor returns when the last one has begun. `round` names the round in the
// report.
class health_checks {
 public:
  health_checks(heist::pool& pool, std::uint64_t round)
      : thread_([&pool, round](const std::stop_token& over) {
          while (!over.stop_requested()) {
            const auto asked = clock::now();
            note(pool.submit(heist::priority::high, [] { return clock::now(); }).get() - asked,
                 round);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          }
        }) {}

 private:
  std::jthread thread_;
};

void report_health() {
  const auto ms = [](std::chrono::nanoseconds t) { return static_cast<double>(t.count()) * 1e-6; };
  std::printf(
      "%llu health checks began after %.3f ms in the mean; after more than 1 ms %llu, 10 ms %llu, "
      "100 ms %llu; the last of them after %.1f ms (--seed %llu --rounds 1)\n",
      static_cast<unsigned long long>(seen.checks),
      seen.checks == 0 ? 0 : ms(seen.all) / static_cast<double>(seen.checks),
      static_cast<unsigned long long>(seen.over_1ms),
      static_cast<unsigned long long>(seen.over_10ms),
      static_cast<unsigned long long>(seen.over_100ms), ms(seen.longest),
      static_cast<unsigned long long>(seen.round_of_longest));
}

void run_round(std::uint64_t seed, const options& o, current_round& now) {
  heist::pool_config config = draw_config(seed, o.fixed);
  heist::pool_config other = draw_config(mixed(seed + 1), o.fixed);
  if (!o.fixed.workers) other.workers = 1 + static_cast<unsigned>(seed % 3);
  config.name = "first";
  other.name = "second";
  now.set("--seed " + std::to_string(seed) + " --rounds 1: " + as_arguments(config) + "; " +
          as_arguments(other));
  heist::pool first(config);
  heist::pool second(other);
  {
    const health_checks checks(first, seed);
    std::vector<std::jthread> outside;
    for (std::uint64_t t = 0; t < 1 + seed % 3; ++t)
      outside.emplace_back([&, t] {
        for (std::uint64_t i = 0; i < 4; ++i) {
          program p{.first = first,
                    .second = second,
                    .seed = mixed(seed + 16 * t + i),
                    .is_faulty = i == 3,
                    .is_calm = config.fork_depth != 0 || other.fork_depth != 0,
                    .planted = o.planted};
          run_program(p);
        }
      });
  }
  check_stacks(first, seed);
  check_stacks(second, seed);
  if (fault::alive.load(std::memory_order_relaxed) != 0) fail("an exception is left", seed);
}

void report(double seconds, std::uint64_t rounds) {
  std::uint64_t all = 0;
  for (const tally& t : tallies()) {
    const std::uint64_t n = t.runs.load(std::memory_order_relaxed);
    all += n;
    std::printf("%12llu  %s\n", static_cast<unsigned long long>(n), t.what->name);
  }
  std::printf("%llu constructs, %llu nodes in %llu rounds and %.1f s: %.0f nodes a second\n",
              static_cast<unsigned long long>(all),
              static_cast<unsigned long long>(progress.load(std::memory_order_relaxed)),
              static_cast<unsigned long long>(rounds), seconds,
              static_cast<double>(progress.load(std::memory_order_relaxed)) / seconds);
  report_health();
}

int soak(const options& o) {
  std::printf("seed %llu\n", static_cast<unsigned long long>(o.seed));
  std::fflush(stdout);
  static current_round now;
  const watchdog guard(std::chrono::seconds(o.patience), [] { return now.get(); });
  const auto start = clock::now();
  const auto end = start + std::chrono::seconds(o.seconds);
  std::uint64_t rounds = 0;
  for (std::uint64_t seed = o.seed; rounds < o.rounds && (rounds == 0 || clock::now() < end);
       seed = mixed(seed), ++rounds)
    run_round(seed, o, now);
  report(std::chrono::duration<double>(clock::now() - start).count(), rounds);
  return 0;
}

}  // namespace
}  // namespace heist_soak

int main(int argc, char** argv) { return heist_soak::soak(heist_soak::parse(argc, argv)); }
