// Measures the cost of a fork with fib, which does nothing else.
//
// heist is compared with the serial recursion at the full size. The locked deque and the rivals
// cost tens to hundreds of nanoseconds for a fork and would take minutes there, so they run at a
// smaller size, where heist and the serial recursion run once more: each ratio compares times of
// one size.
#include <thread>

#include <fmt/format.h>

#include "bench/fork_join/fib.hpp"
#include "bench/rounds.hpp"

namespace heist::bench {

namespace {

using workloads::integer_option;

// This is longer than OpenMP's threads spin after a parallel region (libomp: 200 ms), so that they
// do not take the processor from the next contestant.
constexpr auto openmp_spins = std::chrono::milliseconds(250);

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {integer_option("n", "which Fibonacci number", quick ? 24 : 39, 2, 90),
          integer_option("rival-n", "which one for the locked deque, oneTBB and OpenMP",
                         quick ? 16 : 32, 2, 90)};
}

// The contestants of one size, and their rows.
class field {
 public:
  field(contest& turns, std::uint64_t n)
      : turns_(turns),
        n_(n),
        expected_(fib_by_addition(n)),
        serial_(add("serial", [n] { return serial::fib(n); })) {}

  contestant& add(const std::string& name, std::function<std::uint64_t()> fib,
                  std::chrono::milliseconds rest = {}) {
    const auto full_name = fmt::format("{}, fib({})", name, n_);
    auto& added = turns_.add(full_name, [=, fib = std::move(fib), expected = expected_] {
      const double seconds = time_checked(full_name, expected, fib);
      std::this_thread::sleep_for(rest);
      return seconds;
    });
    members_.push_back(&added);
    return added;
  }

  contestant& add_pool(const std::string& name, pool& on) {
    return add(name, [&on, n = n_] { return on.run([n] { return forked::fib(n); }); });
  }

  contestant& add_lazy(const std::string& name, pool& on) {
    return add(name, [&on, n = n_] { return on.run([n] { return forked::fib_lazily(n); }); });
  }

  [[nodiscard]] samples against_serial(const contestant& which) const {
    return ratio(which.results, serial_.results);
  }

  void append_rows(std::vector<row>& rows) const {
    const double forks = static_cast<double>(forks_of_fib(n_));
    for (const auto* each : members_) {
      rows.push_back({each->name,
                      {{"time", "s", each->results},
                       {"to serial", "", against_serial(*each)},
                       {"per fork", "ns", scaled(each->results, 1e9 / forks)}},
                      {}});
    }
  }

 private:
  contest& turns_;
  std::uint64_t n_;
  std::uint64_t expected_;
  std::vector<contestant*> members_;
  contestant& serial_;
};

std::string several(const char* what, unsigned workers) {
  return fmt::format("{}, {} worker{}", what, workers, workers == 1 ? "" : "s");
}

void add_rivals(field& field, std::uint64_t n, unsigned threads) {
  if (onetbb::is_built_in()) {
    field.add(several("oneTBB task_group", threads),
              [=] { return onetbb::fib_by_task_group(n, threads); });
    field.add(several("oneTBB parallel_invoke", threads),
              [=] { return onetbb::fib_by_parallel_invoke(n, threads); });
  }
  if (openmp::is_built_in())
    field.add(
        several("OpenMP tasks", threads), [=] { return openmp::fib_by_tasks(n, threads); },
        openmp_spins);
}

#if defined(__clang__) && __clang_major__ >= 19
constexpr std::optional<double> overhead_limit = 1.85;
constexpr const char* overhead_note = "for clang 19 and newer at -O3, fib(39)";
#elif !defined(__clang__)
constexpr std::optional<double> overhead_limit = 2.2;
constexpr const char* overhead_note = "for g++ 12 at -O2, fib(39)";
#else
constexpr std::optional<double> overhead_limit;
constexpr const char* overhead_note = "";
#endif

constexpr double speedup_limit = 1.9;  // of 2 workers relative to 1

std::vector<target> targets(const samples& overhead, const std::optional<samples>& speedup) {
  std::vector<target> result;
  if (overhead_limit)
    result.push_back({"T1/Ts, 1 worker to serial", "", bound::at_most, *overhead_limit,
                      overhead.median(), overhead_note});
  target two{"T1/T2, 2 workers to 1", "", bound::at_least, speedup_limit, {}, ""};
  if (speedup)
    two.measured = speedup->median();
  else
    two.note = "needs --workers 2 on 2 processors";
  result.push_back(two);
  return result;
}

results run(const workloads::option_values& values, const settings& with) {
  const auto n = static_cast<std::uint64_t>(values.integer("n"));
  const auto rival_n = static_cast<std::uint64_t>(values.integer("rival-n"));
  const unsigned workers = workers_of(with);
  whole_pool one({.workers = 1});
  whole_pool many({.workers = workers});
  whole_pool one_locked({.workers = 1, .deque = deque_kind::locked});
  whole_pool many_locked({.workers = workers, .deque = deque_kind::locked});

  contest turns;
  field large(turns, n);
  large.add("serial, every call made", [n] { return serial::fib_by_calls(n); });
  auto& t1 = large.add_pool(several("heist", 1), one);
  auto* const tp = workers > 1 ? &large.add_pool(several("heist", workers), many) : nullptr;
  large.add_lazy(several("heist, recorded lazily", 1), one);
  if (workers > 1) large.add_lazy(several("heist, recorded lazily", workers), many);
  field small(turns, rival_n);
  small.add_pool(several("heist", 1), one);
  small.add_pool(several("heist, locked deque", 1), one_locked);
  add_rivals(small, rival_n, 1);
  if (workers > 1) {
    small.add_pool(several("heist", workers), many);
    small.add_pool(several("heist, locked deque", workers), many_locked);
    add_rivals(small, rival_n, workers);
  }
  turns.play(with);

  results result;
  result.title = fmt::format("fib({}), {} forks; rivals at fib({}), {} forks; {} rounds", n,
                             forks_of_fib(n), rival_n, forks_of_fib(rival_n), with.repeat);
  large.append_rows(result.rows);
  small.append_rows(result.rows);
  if (!onetbb::is_built_in()) result.rows.push_back({"oneTBB", {}, "not built in"});
  if (!openmp::is_built_in()) result.rows.push_back({"OpenMP", {}, "not built in"});
  std::optional<samples> speedup;
  if (tp != nullptr) {
    speedup = ratio(t1.results, tp->results);
    result.rows.push_back(
        {fmt::format("heist, {} workers over 1", workers), {{"speedup", "", *speedup}}, {}});
  }
  if (workers != 2) speedup.reset();
  result.targets = targets(large.against_serial(t1), speedup);
  return result;
}

}  // namespace

benchmark fork_join_benchmark() {
  return {"fork_join", "the price of a fork: fib against serial code, oneTBB and OpenMP", &options,
          &run};
}

}  // namespace heist::bench
