// Measures more workers than processors, beside another program that spins.
//
// A suitable scheduler ends in a time of about T1/PA, where T1 is the time on one worker and PA the
// number of processors that it gets (Arora, Blumofe, Plaxton, 1998). The processor time that the
// scheduler consumed is no measure for PA: a worker that sleeps when it should work would lower
// both sides. PA is therefore the number of processors that as many spinning threads get beside the
// same competitor, measured before each run.
#include <algorithm>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "bench/fork_join/fib.hpp"
#include "bench/multiprogrammed/competitor.hpp"
#include "bench/processor_time.hpp"
#include "bench/rounds.hpp"
#include "workloads/nqueens/nqueens.hpp"

namespace heist::bench {

namespace {

using workloads::choice_option;
using workloads::integer_option;

constexpr double stretch_limit = 1.3;
constexpr unsigned unforked_rows = 7;  // of nqueens: some thousand placements in a leaf

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {
      choice_option("workload", "what runs: fib forks all the time, nqueens now and then", "fib",
                    {"fib", "nqueens"}),
      integer_option("n", "its size", quick ? 22 : 41, 8, 60),
      integer_option("locked-n", "its size for the locked deque", quick ? 18 : 35, 8, 60),
      integer_option("competitors", "processes that spin", 1, 0, 64),
      integer_option("spin-ms", "how long PA is measured each time", quick ? 20 : 500, 1, 60'000)};
}

std::uint64_t run_workload(bool is_fib, unsigned n) {
  if (is_fib) return forked::fib(n);
  const auto board = workloads::chessboard::empty(n);
  return workloads::count_boards(board, board.free(), unforked_rows, workloads::forked{});
}

std::uint64_t run_serially(bool is_fib, unsigned n) {
  if (is_fib) return serial::fib(n);
  return workloads::count_boards_serially(workloads::chessboard::empty(n));
}

// One of the schedulers compared, with the size of its problem.
struct scheduler {
  std::string name;
  deque_kind deque;
  idle_kind idle;
  unsigned n;
  std::uint64_t expected = 0;
  contestant* alone = nullptr;  // T1, with the competitor paused
};

class measurement {
 public:
  measurement(const workloads::option_values& values, const settings& with)
      : is_fib_(values.text("workload") == "fib"),
        spin_seconds_(static_cast<double>(values.integer("spin-ms")) * 1e-3),
        rivals_(static_cast<unsigned>(values.size("competitors"))),
        with_(with) {
    const auto n = static_cast<unsigned>(values.size("n"));
    const auto locked_n = static_cast<unsigned>(values.size("locked-n"));
    const unsigned largest = is_fib_ ? 60 : 20;
    if (std::max(n, locked_n) > largest)
      throw usage_error(
          fmt::format("multiprogrammed: {} goes up to size {}", values.text("workload"), largest));
    schedulers_ = {{"heist", deque_kind::split, idle_kind::park, n},
                   {"heist that spins when idle", deque_kind::split, idle_kind::spin, n},
                   {"heist, locked deque", deque_kind::locked, idle_kind::park, locked_n}};
    for (auto& each : schedulers_) {
      each.expected = run_serially(is_fib_, each.n);
      each.alone =
          &turns_.add(fmt::format("{}, 1 worker alone", each.name), [&] { return work_of(each); });
    }
    title_ = fmt::format("{}({}), locked deque at {}({}); {} competing; {} rounds",
                         values.text("workload"), n, values.text("workload"), locked_n,
                         values.text("competitors"), with.repeat);
  }

  results run() {
    const std::vector<unsigned> sizes =
        with_.workers != 0 ? std::vector{with_.workers} : std::vector{8u, 16u};
    for (const unsigned workers : sizes) add_size(workers);
    turns_.play(with_);
    results result;
    result.title = title_;
    for (const auto& each : schedulers_)
      result.rows.push_back({each.alone->name, {{"T1", "s", each.alone->results}}, {}});
    for (const auto& append : appends_) append(result);
    result.notes = {"PA: processors that as many spinning threads get beside the same competitor"};
    return result;
  }

 private:
  // The pool exists for this turn only, because a spinning pool would disturb the others' turns.
  double time_of(const scheduler& which, unsigned workers) const {
    whole_pool on({.workers = workers, .deque = which.deque, .idle = which.idle});
    return run_checked(on, which);
  }

  // T1 is the processor time of a run on one worker. It equals the elapsed time if nothing else
  // runs, and does not grow if something does.
  double work_of(const scheduler& which) const {
    whole_pool on({.workers = 1, .deque = which.deque, .idle = which.idle});
    const auto before = processor_time::now();
    static_cast<void>(run_checked(on, which));
    return processor_time::now().seconds - before.seconds;
  }

  double run_checked(pool& on, const scheduler& which) const {
    return time_checked(which.name, which.expected,
                        [&] { return on.run([&] { return run_workload(is_fib_, which.n); }); });
  }

  template <class Function>
  double beside_rivals(Function&& function) const {
    rivals_.resume();
    const double result = function();
    rivals_.pause();
    return result;
  }

  void add_size(unsigned workers) {
    for (const auto& each : schedulers_) {
      auto& got = turns_.add(fmt::format("{} spinning threads", workers), [this, workers] {
        return beside_rivals([&] { return processors_for_spinners(workers, spin_seconds_); });
      });
      auto& took = turns_.add(
          fmt::format("{}, {} workers", each.name, workers),
          [this, &each, workers] { return beside_rivals([&] { return time_of(each, workers); }); });
      const bool is_promise = &each == &schedulers_.front();
      appends_.push_back([&each, &got, &took, workers, is_promise](results& result) {
        const auto stretch = ratio(product(took.results, got.results), each.alone->results);
        result.rows.push_back(
            {took.name,
             {{"time", "s", took.results}, {"PA", "", got.results}, {"time/(T1/PA)", "", stretch}},
             {}});
        if (is_promise)
          result.targets.push_back({fmt::format("time/(T1/PA), {} workers", workers), "",
                                    bound::at_most, stretch_limit, stretch.median(), ""});
      });
    }
  }

  bool is_fib_;
  double spin_seconds_;
  competitor rivals_;
  settings with_;
  std::string title_;
  std::vector<scheduler> schedulers_;
  contest turns_;
  std::vector<std::function<void(results&)>> appends_;
};

results run(const workloads::option_values& values, const settings& with) {
  return measurement(values, with).run();
}

}  // namespace

benchmark multiprogrammed_benchmark() {
  return {"multiprogrammed", "more workers than processors, beside a program that spins", &options,
          &run};
}

}  // namespace heist::bench
