// A worker that does not push or pop for a long time must not keep its private work to itself.
//
// One worker forks a chain: each fork's second function is one of the jobs, and its first function
// continues the chain. At the end of the chain the worker runs serial code, without a call into
// heist, while all the jobs are in its deque. Thieves have to get them without its help. Each job
// records when it started.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include <heist/fork_join.hpp>

#include "bench/rounds.hpp"

namespace heist::bench {

namespace {

using workloads::integer_option;

constexpr double all_taken_limit_ms = 1;

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {integer_option("jobs", "jobs above the leaf", 100, 1, 10'000),
          integer_option("leaf-ms", "how long the leaf is", quick ? 50 : 1000, 1, 600'000)};
}

struct job_note {
  clock::time_point start;
  int worker = -1;  // that ran it
};

struct chain {
  explicit chain(std::size_t jobs) : notes(jobs) {}

  std::vector<job_note> notes;  // each written by its job, read after the joins
  clock::duration leaf_length{};
  clock::time_point leaf_start;
  clock::time_point leaf_end;
  int leaf_worker = -1;
};

void spin_in_leaf(chain& on) {
  on.leaf_worker = this_worker::index();
  on.leaf_start = clock::now();
  do {
    on.leaf_end = clock::now();
  } while (on.leaf_end - on.leaf_start < on.leaf_length);
}

void fork_from(chain& on, std::size_t job) {
  if (job == on.notes.size()) {
    spin_in_leaf(on);
    return;
  }
  fork_join([&on, job] { fork_from(on, job + 1); },
            [&on, job] {
              on.notes[job] = {clock::now(), this_worker::index()};
            });
}

struct findings {
  samples all_taken_ms;  // from the leaf's start to the last job's
  samples first_taken_us;
  samples asked;      // jobs that the owner itself published on its way down
  samples published;  // jobs that thieves published
  samples left;       // jobs that only the leaf's own worker ran
};

void examine(const chain& ran, const counters& before, const counters& after, findings& found) {
  double last = 0;
  double first = std::chrono::duration<double>(ran.leaf_end - ran.leaf_start).count();
  double left = 0;
  for (const auto& note : ran.notes) {
    if (note.worker == -1) throw wrong_result("a job did not run");
    const double at = std::chrono::duration<double>(note.start - ran.leaf_start).count();
    last = std::max(last, at);
    first = std::min(first, at);
    if (note.worker == ran.leaf_worker && note.start >= ran.leaf_end) ++left;
  }
  found.all_taken_ms.add(last * 1e3);
  found.first_taken_us.add(first * 1e6);
  found.asked.add(static_cast<double>(after.exposes - before.exposes));
  found.published.add(static_cast<double>(after.remote_exposes - before.remote_exposes));
  found.left.add(left);
}

results run(const workloads::option_values& values, const settings& with) {
  const auto jobs = values.size("jobs");
  const unsigned workers = std::max(workers_of(with), 2u);
  whole_pool on({.workers = workers});
  findings found;
  for (unsigned round = 1; round <= with.repeat; ++round) {
    with.announce(fmt::format("round {} of {}", round, with.repeat));
    chain next(jobs);
    next.leaf_length = std::chrono::milliseconds(values.integer("leaf-ms"));
    const auto before = on.stats().total;
    on.run([&] { fork_from(next, 0); });
    examine(next, before, on.stats().total, found);
  }

  results result;
  result.title = fmt::format("{} jobs above a leaf of {} ms, {} workers; {} rounds", jobs,
                             values.integer("leaf-ms"), workers, with.repeat);
  result.rows = {{"first job starts elsewhere", {{"after", "us", found.first_taken_us}}, {}},
                 {"last job starts elsewhere", {{"after", "ms", found.all_taken_ms}}, {}},
                 {"published by their owner", {{"jobs", "", found.asked}}, "on the way down"},
                 {"published by thieves", {{"jobs", "", found.published}}, {}},
                 {"left for the leaf's worker", {{"jobs", "", found.left}}, {}}};
  result.targets = {{"all jobs taken", "ms", bound::at_most, all_taken_limit_ms,
                     found.all_taken_ms.median(), ""}};
  result.notes = {"times from the start of the leaf; below zero: before it"};
  return result;
}

}  // namespace

benchmark long_leaf_benchmark() {
  return {"long_leaf", "private jobs above a long serial leaf: when thieves have them all",
          &options, &run};
}

}  // namespace heist::bench
