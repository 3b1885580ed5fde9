// Measures how long what begins has to wait for what goes on already: a short loop beside a long
// call, a function beside a loop, a health check among connections, the rest of a spawner beside
// functions that are always ready, and loops of several threads at once.
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include <heist/heist.hpp>

#include "bench/latency/systems.hpp"
#include "bench/rounds.hpp"

namespace heist::bench {

namespace {

using namespace std::chrono_literals;
using workloads::integer_option;

constexpr double median_limit_us = 20;
constexpr double worst_limit_us = 2000;
constexpr double callers_limit = 1.05;  // of oneTBB's

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {integer_option("samples", "waits that are measured, in each round", quick ? 3 : 200, 1,
                         100'000),
          integer_option("every-us", "time between two of these", quick ? 100 : 1000, 1, 1'000'000),
          integer_option("connections", "connections among which a health check comes",
                         quick ? 20 : 200, 1, 100'000),
          integer_option("callers", "most threads that call loops of 5 us at once", quick ? 2 : 32,
                         1, 1024),
          integer_option("calls", "loops of each of these threads, in each round", quick ? 5 : 1000,
                         1, 10'000'000)};
}

// ---- heist's long calls.

void long_loop(const std::atomic<bool>& is_over) {
  heist::parallel_for(0, 1'000'000, [&](int) { linger(is_over, 1us); });
}
void tree_of(const std::atomic<bool>& is_over, int depth) {
  if (depth == 0 || is_over.load(std::memory_order_relaxed)) return linger(is_over, 1us);
  heist::fork_join([&] { tree_of(is_over, depth - 1); }, [&] { tree_of(is_over, depth - 1); });
}
void long_tree(const std::atomic<bool>& is_over) { tree_of(is_over, 20); }
void long_scope(const std::atomic<bool>& is_over) {
  heist::scope([&](task_scope& s) {
    for (int i = 0; i < 100'000 && !is_over; ++i) s.spawn([&] { linger(is_over, 10us); });
  });
}
void long_reduce(const std::atomic<bool>& is_over) {
  const std::vector<long> values(1'000'000, 1);
  static_cast<void>(heist::reduce(values, 0L, [&](long a, long b) {
    linger(is_over, 1us);
    return a + b;
  }));
}

struct long_call {
  const char* name;
  void (*run)(const std::atomic<bool>& is_over);
};
constexpr std::array long_calls{long_call{"loop", &long_loop}, long_call{"tree", &long_tree},
                                long_call{"scope", &long_scope}, long_call{"reduce", &long_reduce}};

latency_system heist_latency(pool& on, long_call busy) {
  latency_system s{fmt::format("heist, a {}", busy.name)};
  s.be_busy = [&on, busy](const std::atomic<bool>& is_over) { on.run([&] { busy.run(is_over); }); };
  s.short_loop = [&on] { heist::parallel_for(on, 0, 10, [](int) {}); };
  return s;
}

latency_system heist_submits(pool& on, priority of) {
  constexpr std::array names{"high", "normal", "low"};
  latency_system s{fmt::format("heist, {}", names[static_cast<std::size_t>(of)])};
  s.be_busy = [&on](const std::atomic<bool>& is_over) { on.run([&] { long_loop(is_over); }); };
  s.start = [&on, of](std::function<void()> f) { static_cast<void>(on.submit(of, std::move(f))); };
  s.connect = [&on](const std::atomic<bool>& is_over, unsigned connections) {
    on.run([&] {
      heist::scope([&](task_scope& all) {
        for (unsigned i = 0; i < connections; ++i)
          all.spawn([&] {
            heist::counting_semaphore<> never(0);
            while (!is_over) {
              static_cast<void>(never.try_acquire_for(1ms));
              linger(is_over, 20us);
            }
          });
      });
    });
  };
  return s;
}

// ---- What is measured.

class latency_contest {
 public:
  latency_contest(const workloads::option_values& values, unsigned workers)
      : count_(values.size("samples")),
        every_(values.integer("every-us")),
        connections_(static_cast<unsigned>(values.integer("connections"))),
        most_callers_(static_cast<unsigned>(values.integer("callers"))),
        calls_(values.size("calls")),
        workers_(workers),
        on_({.workers = workers}),
        seated_({.workers = workers, .caller_seats = most_callers_}),
        onetbb_(onetbb_latency(workers)) {
    for (const long_call& busy : long_calls) add(loops_, heist_latency(on_, busy));
    add(loops_, onetbb_);
    for (const priority of : {priority::high, priority::normal, priority::low})
      add(starts_, heist_submits(on_, of));
    add(starts_, onetbb_);
    add(starts_, asio_latency(workers));
    add(starts_, async_latency());
    add(checks_, heist_submits(on_, priority::high));
    add(checks_, asio_latency(workers));
  }

  void play() {
    for (side& s : loops_)
      if (s.system.short_loop)
        beside(s.system.be_busy, [&] { s.us.add(seconds_of(s.system.short_loop) * 1e6); });
    for (side& s : starts_)
      if (s.system.start)
        beside(s.system.be_busy ? s.system.be_busy : starts_.front().system.be_busy,
               [&] { s.us.add(wait_of(s.system)); });
    for (side& s : checks_)
      if (s.system.connect)
        beside([&](const auto& is_over) { s.system.connect(is_over, connections_); },
               [&] { s.us.add(wait_of(s.system)); });
    for (std::size_t i = 0; i < count_; ++i) rest_us_.add(wait_of_a_spawners_rest());
    for (unsigned callers = 1; callers <= most_callers_; callers *= 2) {
      crowds(crowds_, callers, [this] { loop(on_); });
      crowds(seated_crowds_, callers, [this] { loop(seated_); });
      if (onetbb_.loop_of_work)
        crowds(rival_crowds_, callers, [this] { onetbb_.loop_of_work(iterations); });
    }
  }

  [[nodiscard]] results summary(unsigned rounds) const {
    results r;
    r.title =
        fmt::format("what begins beside what goes on: {} waits a round, {} rounds, {} workers",
                    count_, rounds, workers_);
    show(r, loops_, "a loop of 10 beside a long call");
    show(r, starts_, "a function beside a long loop");
    show(r, checks_, fmt::format("a function among {} connections", connections_));
    r.rows.push_back(waits("heist", rest_us_, "a spawner's rest beside two that are always ready"));
    for (const crowd& c : crowds_) r.rows.push_back(shown("heist", c));
    for (const crowd& c : seated_crowds_) r.rows.push_back(shown("heist, caller_seats", c));
    for (const crowd& c : rival_crowds_) r.rows.push_back(shown("oneTBB", c));
    const samples& beside_loop = loops_.front().us;
    r.targets = {
        {"a loop of 10 beside a long loop, median", "us", bound::at_most, median_limit_us,
         beside_loop.median(), ""},
        {"the same, worst", "us", bound::at_most, worst_limit_us, beside_loop.quantile(1), ""}};
    for (std::size_t i = 0; i < std::min(crowds_.size(), rival_crowds_.size()); ++i) {
      if (crowds_[i].threads != 16) continue;
      const crowd& rival = rival_crowds_[i];
      const auto add = [&](const char* what, double mine, double its) {
        r.targets.push_back({what, "", bound::at_most, callers_limit, mine / its, ""});
      };
      add("16 callers, wall time to oneTBB's", crowds_[i].seconds.median(), rival.seconds.median());
      add("16 callers, system time to oneTBB's", crowds_[i].system.median(), rival.system.median());
      add("16 callers with caller_seats, wall time to oneTBB's", seated_crowds_[i].seconds.median(),
          rival.seconds.median());
      add("16 callers with caller_seats, system time to oneTBB's",
          seated_crowds_[i].system.median(), rival.system.median());
    }
    return r;
  }

 private:
  struct side {
    latency_system system;
    samples us{};
  };
  struct crowd {
    unsigned threads;
    samples seconds{}, system{};
  };

  static void add(std::vector<side>& to, latency_system s) { to.push_back({std::move(s)}); }

  template <class Busy, class Measure>
  void beside(const Busy& be_busy, const Measure& measure) {
    std::atomic<bool> is_over{false};
    std::thread busy([&] {
      while (!is_over) be_busy(is_over);
    });
    std::this_thread::sleep_for(10ms);
    const auto limit = clock::now() + 10s;  // where most functions don't begin
    for (std::size_t i = 0; i < count_ && clock::now() < limit; ++i) {
      measure();
      std::this_thread::sleep_for(std::chrono::microseconds(every_));
    }
    is_over = true;
    busy.join();
  }

  // Microseconds from the call of start() until the function begins; a second if it doesn't.
  static double wait_of(const latency_system& s) {
    struct begin {
      std::mutex mutex;
      std::condition_variable changed;
      std::optional<double> us;
    };
    const auto seen = std::make_shared<begin>();
    const auto asked = clock::now();
    s.start([seen, asked] {
      const double us = seconds_since(asked) * 1e6;
      {
        const std::lock_guard hold(seen->mutex);
        seen->us = us;
      }
      seen->changed.notify_one();
    });
    std::unique_lock hold(seen->mutex);
    seen->changed.wait_for(hold, 1s, [&] { return seen->us.has_value(); });
    return seen->us.value_or(1e6);
  }

  double wait_of_a_spawners_rest() {
    double us = 0;
    on_.submit([&] {
         std::atomic<bool> is_over{false};
         heist::counting_semaphore<> left(0), right(0);
         const auto hand = [&](auto& mine, auto& other) {
           while (!is_over) {
             other.release();
             mine.acquire();
           }
           other.release();
         };
         heist::scope([&](task_scope& s) {
           s.spawn([&] { hand(left, right); });
           const auto begun = clock::now();
           s.spawn([&] { hand(right, left); });
           us = seconds_since(begun) * 1e6;
           is_over = true;
         });
       })
        .get();
    return us;
  }

  static constexpr int iterations = 10;
  static void loop(pool& on) {
    heist::parallel_for(on, 0, iterations, [](int) { piece_of_work(); });
  }

  static double system_seconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_stime.tv_sec) +
           static_cast<double>(used.ru_stime.tv_usec) * 1e-6;
  }

  template <class Loop>
  void crowds(std::vector<crowd>& of, unsigned threads, const Loop& loop) {
    auto mine =
        std::find_if(of.begin(), of.end(), [&](const crowd& c) { return c.threads == threads; });
    if (mine == of.end()) mine = of.insert(of.end(), crowd{threads});
    const double system_before = system_seconds();
    mine->seconds.add(seconds_of([&] {
      std::vector<std::jthread> all;
      for (unsigned t = 0; t < threads; ++t)
        all.emplace_back([&] {
          for (std::size_t i = 0; i < calls_; ++i) loop();
        });
    }));
    mine->system.add(system_seconds() - system_before);
  }

  static row waits(std::string name, const samples& us, std::string group) {
    if (us.empty()) return {std::move(name), {}, "not in this build", std::move(group)};
    return {std::move(name),
            {{"wait", "us", us},
             {"99 %", "us", samples({us.quantile(0.99)})},
             {"99.9 %", "us", samples({us.quantile(0.999)})},
             {"worst", "us", samples({us.quantile(1)})}},
            {},
            std::move(group)};
  }
  static void show(results& r, const std::vector<side>& sides, const std::string& group) {
    for (const side& s : sides) r.rows.push_back(waits(s.system.name, s.us, group));
  }
  static row shown(std::string name, const crowd& c) {
    return {std::move(name),
            {{"wall", "s", c.seconds}, {"system", "s", c.system}},
            {},
            fmt::format("{} threads that call loops of 5 us", c.threads)};
  }

  const std::size_t count_;
  const std::int64_t every_;
  const unsigned connections_;
  const unsigned most_callers_;
  const std::size_t calls_;
  const unsigned workers_;
  whole_pool on_, seated_;
  latency_system onetbb_;
  std::vector<side> loops_, starts_, checks_;
  samples rest_us_;
  std::vector<crowd> crowds_, seated_crowds_, rival_crowds_;
};

results run(const workloads::option_values& values, const settings& with) {
  latency_contest contest(values, workers_of(with));
  for (unsigned round = 1; round <= with.repeat; ++round) {
    with.announce(fmt::format("round {} of {}", round, with.repeat));
    contest.play();
  }
  return contest.summary(with.repeat);
}

}  // namespace

benchmark latency_benchmark() {
  return {"latency", "how long what begins waits for what goes on: loops, functions, callers",
          &options, &run};
}

}  // namespace heist::bench
