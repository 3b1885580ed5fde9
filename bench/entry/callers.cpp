// Measures loops that a thread outside the pool calls, for each thing that such a thread can do
// meanwhile (caller_kind).
//
// First a loop of 64 iterations of a nanosecond, again and again: what entering costs. Then calls
// of some 100 us, made while a worker runs an unrelated function that offers long jobs all the
// time: a caller that helps with these returns late. At last P + 1 threads call at the same time.
#include <algorithm>
#include <atomic>
#include <thread>

#include <fmt/format.h>

#include "bench/api/team.hpp"
#include "bench/rounds.hpp"
#include "heist/parallel_for.hpp"
#include "heist/scope.hpp"

namespace heist::bench {

namespace {

using workloads::integer_option;

constexpr std::size_t short_loop = 64;
constexpr double most_beyond_inside_us = 0.3;

// An iteration of the short loops.
void step(double& value) { value = value * 0.999 + 1; }

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {
      integer_option("calls", "short loops in a turn", quick ? 200 : 20'000, 1, 100'000'000),
      integer_option("long-calls", "calls beside unrelated work in a turn", quick ? 5 : 100, 1,
                     1'000'000),
      integer_option("crowd-ms", "how long threads call at once", quick ? 10 : 200, 1, 600'000)};
}

// Offers jobs that take `each` until the flag is set.
void offer_long_jobs(const std::atomic<bool>& is_over, std::chrono::microseconds each) {
  while (!is_over.load(std::memory_order_relaxed)) {
    const auto job = [each] {
      const auto end = clock::now() + each;
      while (clock::now() < end) {
      }
    };
    heist::fork_join(job, job, job, job);
  }
}

struct side {
  caller_kind kind;
  std::unique_ptr<pool> on;
  samples outside_us{}, latency_us{}, calls_a_second{};
};

class callers_contest {
 public:
  callers_contest(const workloads::option_values& values, unsigned workers)
      : calls_(values.size("calls")),
        long_calls_(values.size("long-calls")),
        crowd_time_(values.integer("crowd-ms")),
        workers_(workers),
        rival_(api::onetbb_team(workers)) {
    for (const caller_kind kind : all_caller_kinds)
      sides_.push_back(
          {kind, std::make_unique<pool>(pool_config{.workers = workers, .callers = kind})});
  }

  void play() {
    for (side& s : sides_) {
      pool& p = *s.on;
      s.outside_us.add(us_a_call([&] { loop(p, short_loop); }));
      if (s.kind == caller_kind::work)
        p.run([&] { inside_us_.add(us_a_call([&] { loop(p, short_loop); })); });
      if (workers_ > 1) measure_latency(s);  // else the unrelated function has the only worker
      s.calls_a_second.add(call_at_once(p));
    }
    if (rival_ != nullptr)
      rival_us_.add(us_a_call([this] {
        rival_->loop(short_loop, [v = values_.data()](std::size_t first, std::size_t last) {
          for (std::size_t i = first; i < last; ++i) step(v[i]);
        });
      }));
  }

  [[nodiscard]] results summary(unsigned rounds) const {
    results r;
    r.title =
        fmt::format("loops called from outside the pool, {} workers; {} rounds", workers_, rounds);
    const std::string loops = fmt::format("parallel_for of {} iterations", short_loop);
    r.rows.push_back({"inside pool.run", {{"a call", "us", inside_us_}}, {}, loops});
    for (const side& s : sides_)
      r.rows.push_back({name_of(s), {{"a call", "us", s.outside_us}}, {}, loops});
    if (rival_ != nullptr) r.rows.push_back({"oneTBB", {{"a call", "us", rival_us_}}, {}, loops});
    if (workers_ > 1)
      for (const side& s : sides_)
        r.rows.push_back(
            {name_of(s), {{"latency", "us", s.latency_us}}, {}, "calls beside unrelated work"});
    for (const side& s : sides_)
      r.rows.push_back({name_of(s),
                        {{"calls a second", "", s.calls_a_second}},
                        {},
                        fmt::format("{} threads at once", workers_ + 1)});
    target t{"a call from outside beyond the same inside",
             "us",
             bound::at_most,
             most_beyond_inside_us,
             std::nullopt,
             {}};
    t.measured = sides_.front().outside_us.median() - inside_us_.median();
    r.targets.push_back(t);
    return r;
  }

 private:
  static std::string name_of(const side& s) { return fmt::format("callers {}", to_string(s.kind)); }

  void loop(pool& p, std::size_t n) {
    heist::parallel_for(p, std::size_t{0}, n, [v = values_.data()](std::size_t i) { step(v[i]); });
  }

  template <class F>
  double us_a_call(F&& f) const {
    return seconds_of([&] {
             for (std::size_t i = 0; i < calls_; ++i) f();
           }) /
           static_cast<double>(calls_) * 1e6;
  }

  void measure_latency(side& s) {
    std::atomic<bool> is_over{false};
    auto unrelated =
        s.on->submit([&] { offer_long_jobs(is_over, std::chrono::microseconds(1000)); });
    for (std::size_t i = 0; i < long_calls_; ++i) {
      s.latency_us.add(seconds_of([&] { loop(*s.on, values_.size()); }) * 1e6);
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    is_over.store(true, std::memory_order_relaxed);
    unrelated.get();
  }

  double call_at_once(pool& p) const {
    std::atomic<std::uint64_t> calls{0};
    const auto start = clock::now();
    {
      std::vector<std::jthread> crowd;
      for (unsigned t = 0; t <= workers_; ++t)
        crowd.emplace_back([&] {
          std::vector<double> mine(2'000, 1.0);
          std::uint64_t made = 0;
          for (; clock::now() - start < crowd_time_; ++made)
            heist::parallel_for(p, mine, [](double& v) { step(v); });
          calls.fetch_add(made, std::memory_order_relaxed);
        });
    }
    return static_cast<double>(calls.load(std::memory_order_relaxed)) / seconds_since(start);
  }

  const std::size_t calls_;
  const std::size_t long_calls_;
  const std::chrono::milliseconds crowd_time_;
  const unsigned workers_;
  std::vector<double> values_ = std::vector<double>(100'000, 1.0);
  std::unique_ptr<api::team> rival_;
  std::vector<side> sides_;
  samples inside_us_, rival_us_;
};

results run(const workloads::option_values& values, const settings& with) {
  callers_contest contest(values, workers_of(with));
  for (unsigned round = 1; round <= with.repeat; ++round) {
    with.announce(fmt::format("round {} of {}", round, with.repeat));
    contest.play();
  }
  return contest.summary(with.repeat);
}

}  // namespace

benchmark callers_benchmark() {
  return {"callers", "loops called from outside a pool: cost, and latency beside other work",
          &options, &run};
}

}  // namespace heist::bench
