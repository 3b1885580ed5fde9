// What a fork costs under each scheduler of the literature, on one worker: as a fork, as a task
// object and as a job, beside the push and the pop of the same deque alone, and beside the rivals.
// So it shows whether a comparison of schedulers compares these, or what the library adds to them.
#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include <heist/deque/abp.hpp>
#include <heist/deque/bounded_ring.hpp>
#include <heist/deque/chase_lev.hpp>
#include <heist/deque/locked.hpp>
#include <heist/deque/multi_steal.hpp>
#include <heist/deque/steal_half.hpp>
#include <heist/job_system.hpp>
#include <heist/pool.hpp>
#include <heist/presets.hpp>
#include <heist/task.hpp>

#include "bench/fork_join/fib.hpp"
#include "bench/presets/inlined.hpp"
#include "bench/presets/instructions.hpp"
#include "bench/rounds.hpp"

namespace heist::bench {

namespace {

using workloads::integer_option;

constexpr double forks_limit = 2.2;    // to the push and the pop alone
constexpr double objects_limit = 3.0;  // the same of tasks and jobs

// OpenMP's threads spin after a parallel region.
constexpr auto openmp_spins = std::chrono::milliseconds(250);

// Two sizes whose instructions are counted: the difference is that of 18 forks, or of 6 in a quick
// run.
struct counted_sizes {
  std::size_t few, more;
};
constexpr counted_sizes sizes_beside(std::size_t n) {
  return n < 20 ? counted_sizes{2, 5} : counted_sizes{3, 7};
}

std::vector<workloads::option_spec> options(scale of) {
  return {integer_option("n", "which Fibonacci number", of == scale::quick ? 16 : 29, 8, 45)};
}

// ---- The recursion, in heist's three ways.

struct fib_task final : task {
  explicit fib_task(std::size_t number) : n(number) {}
  void execute() override {
    if (n < 2) {
      sum = n;
      return;
    }
    fib_task first(n - 1), second(n - 2);
    spawn(second);
    run_task(first);
    wait_for_all();
    sum = first.sum + second.sum;
  }
  const std::size_t n;
  std::size_t sum = 0;
};

std::size_t fib_by_tasks(std::size_t n) {
  fib_task root(n);
  run_task(root);
  return root.sum;
}

std::size_t fib_by_jobs(job_system& jobs, std::size_t n) {
  if (n < 2) return n;
  std::size_t second = 0;
  const auto job = jobs.create_job([&jobs, &second, n] { second = fib_by_jobs(jobs, n - 2); });
  jobs.run(job);
  const std::size_t first = fib_by_jobs(jobs, n - 1);
  jobs.wait(job);
  return first + second;
}

// ---- The sides.

// A way to compute fib, ready to run: it calls its argument where that may call fib().
struct ready {
  std::function<std::size_t(std::size_t n)> fib;
  std::function<void(const std::function<void()>&)> run = [](const auto& part) { part(); };
  std::shared_ptr<void> of = {};  // what it needs
};

struct side {
  std::string group, name;
  std::function<ready()> make;
  std::chrono::milliseconds rest{};
  double limit = 0;  // of the ratio to `inlined`; 0: none
  contestant* inlined = nullptr;
  contestant* timed = nullptr;
  std::optional<double> instructions = {};  // a fork
};

template <class Deque, class... Arguments>
std::function<ready()> inlined(Arguments... arguments) {
  return [=] {
    auto deque = std::make_shared<Deque>(arguments...);
    auto& d = *deque;
    return ready{.fib = [&d](std::size_t n) { return fib_on(d, n); }, .of = std::move(deque)};
  };
}

struct pool_and_jobs {
  explicit pool_and_jobs(const pool_config& config) : on(config), jobs(on) {}
  whole_pool on;
  job_system jobs;
};

enum class way { forks, tasks, jobs };

std::function<ready()> on_pool(const pool_config& config, way how) {
  return [=] {
    auto both = std::make_shared<pool_and_jobs>(config);
    pool& own_pool = both->on;
    job_system& own_jobs = both->jobs;
    ready made;
    made.run = [&own_pool](const auto& part) { own_pool.run(part); };
    if (how == way::forks) made.fib = &forked::fib;
    if (how == way::tasks) made.fib = &fib_by_tasks;
    if (how == way::jobs) {
      made.fib = [&own_jobs](std::size_t n) { return fib_by_jobs(own_jobs, n); };
      made.run = [&own_jobs](const auto& part) { own_jobs.on_worker(part); };
    }
    made.of = std::move(both);
    return made;
  };
}

class table {
 public:
  explicit table(std::size_t fib_of) : n_(fib_of) {
    add({.group = "serial", .name = "serial", .make = [] { return ready{.fib = &serial::fib}; }});
    add_pool("split", "heist", presets::heist(), nullptr);
    add_pool("chase_lev", "cilk", presets::cilk(), inlined<deque::chase_lev<void*>>(256));
    add_pool("abp", "abp", presets::abp(), inlined<deque::abp<void*>>(4096));
    add_pool("bounded_ring", "job_system", presets::job_system(),
             inlined<deque::bounded_ring<void*>>(4096));
    add_pool("locked", "locked_deques", presets::locked_deques(),
             inlined<deque::locked<void*>>(256));
    add_pool("spin_locked", "abp_locked", presets::abp_locked(),
             inlined<deque::spin_locked<void*>>(256));
    add_pool("shared_queue", "shared_queue", presets::shared_queue(), inlined<locked_list>());
    add_pool("multi_steal", "multi_steal", presets::multi_steal(),
             inlined<deque::multi_steal<void*>>(256, 2));
    pool_config half = presets::multi_steal();
    half.deque = deque_kind::steal_half;
    add_pool("steal_half", "", half, inlined<deque::steal_half<void*>>(256));
    if (onetbb::is_built_in())
      add({.group = "rivals", .name = "oneTBB task_group", .make = [] {
             return ready{.fib = [](std::size_t n) { return onetbb::fib_by_task_group(n, 1); }};
           }});
    if (openmp::is_built_in())
      add({.group = "rivals",
           .name = "OpenMP tasks",
           .make =
               [] {
                 return ready{.fib = [](std::size_t n) { return openmp::fib_by_tasks(n, 1); }};
               },
           .rest = openmp_spins});
  }

  // Before anything has started a thread in this process.
  void count_instructions(const settings& with) {
    const auto at = sizes_beside(n_);
    const auto forks = static_cast<double>(forks_of_fib(at.more) - forks_of_fib(at.few));
    for (auto& each : sides_) {
      with.announce(fmt::format("instructions: {}, {}", each.group, each.name));
      const auto counted = instructions_between([&](const auto& count) {
        const ready made = each.make();
        made.run([&] {
          made.fib(at.more);  // so that what is done once has been done
          count([&] { made.fib(at.few); });
          count([&] { made.fib(at.more); });
        });
      });
      if (counted) each.instructions = static_cast<double>(*counted) / forks;
    }
  }

  void play(const settings& with) {
    contest turns;
    const std::uint64_t expected = fib_by_addition(n_);
    for (auto& each : sides_) {
      const auto name = fmt::format("{}, {}", each.group, each.name);
      each.timed = &turns.add(name, [&each, name, expected, n = n_] {
        double seconds = 0;
        const ready it = each.make();  // a pool for each turn: workers of some never sleep
        it.run([&] { seconds = time_checked(name, expected, [&] { return it.fib(n); }); });
        std::this_thread::sleep_for(each.rest);
        return seconds;
      });
    }
    for (auto& each : sides_)
      if (each.limit != 0) each.inlined = find(each.group, "inlined push and pop").timed;
    turns.play(with);
    append_to_results();
  }

  results found;

 private:
  void add(side one) { sides_.push_back(std::move(one)); }

  void add_pool(const std::string& deque, const std::string& preset, pool_config config,
                const std::function<ready()>& alone) {
    config.workers = 1;
    const auto group = preset.empty() ? deque : fmt::format("{} ({})", deque, preset);
    if (alone != nullptr) add({.group = group, .name = "inlined push and pop", .make = alone});
    const double of_forks = alone != nullptr ? forks_limit : 0;
    const double of_objects = alone != nullptr ? objects_limit : 0;
    add({.group = group,
         .name = "heist, forks",
         .make = on_pool(config, way::forks),
         .limit = of_forks});
    add({.group = group,
         .name = "heist, task objects",
         .make = on_pool(config, way::tasks),
         .limit = of_objects});
    add({.group = group,
         .name = "heist, jobs",
         .make = on_pool(config, way::jobs),
         .limit = of_objects});
  }

  side& find(const std::string& group, const std::string& name) {
    return *std::find_if(sides_.begin(), sides_.end(), [&](const side& each) {
      return each.group == group && each.name == name;
    });
  }

  void append_to_results() {
    const double forks = static_cast<double>(forks_of_fib(n_));
    for (const auto& each : sides_) {
      const samples& times = each.timed->results;
      row r{each.name, {{"a fork", "ns", scaled(times, 1e9 / forks)}}, {}, each.group};
      if (each.instructions)
        r.measures.push_back({"instructions", "", samples({*each.instructions})});
      r.measures.push_back({"to serial", "", ratio(times, sides_.front().timed->results)});
      if (each.inlined != nullptr) {
        const samples to_inlined = ratio(times, each.inlined->results);
        r.measures.push_back({"to inlined", "", to_inlined});
        found.targets.push_back({fmt::format("{}, {}, to push and pop", each.group, each.name), "",
                                 bound::at_most, each.limit, to_inlined.median(), ""});
      }
      found.rows.push_back(std::move(r));
    }
  }

  const std::size_t n_;
  std::vector<side> sides_;
};

results run(const workloads::option_values& values, const settings& with) {
  const std::size_t n = values.size("n");
  table all(n);
  all.count_instructions(with);
  all.play(with);
  results& result = all.found;
  result.title =
      fmt::format("fib({}), {} forks, on one worker; {} rounds", n, forks_of_fib(n), with.repeat);
  result.notes = {
      "To inlined: a ratio to the same recursion with nothing but a push and a pop of that deque "
      "for each fork, inlined. The shared queue's is a list under a mutex, out of which a join "
      "takes its entry",
      "A task object and a job have memory and a frame of their own, keep exceptions and count "
      "what hasn't ended; a fork of tasks is one spawn and one run_task",
      fmt::format("Instructions are those of a fork, its join and both calls, counted one by one "
                  "in a process of its own: the difference of fib({}) and fib({})",
                  sizes_beside(n).few, sizes_beside(n).more)};
  return result;
}

}  // namespace

benchmark presets_benchmark() {
  return {"presets", "what a fork costs under each preset, beside its deque alone", &options, &run};
}

}  // namespace heist::bench
