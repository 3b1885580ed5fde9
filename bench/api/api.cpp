// Compares loops, algorithms, locks and graphs with serial code, oneTBB, OpenMP and GNU's parallel
// mode: each library does the same work in its own terms.
#include <utility>

#include <fmt/format.h>

#include "bench/api/tables.hpp"

namespace heist::bench {

namespace api {

namespace {

std::vector<pool*> pools_of(pool& one, pool* many) {
  std::vector<pool*> result{&one};
  if (many != nullptr) result.push_back(many);
  return result;
}

std::vector<kernels> all_rivals() {
  std::vector<kernels> result = onetbb();
  for (auto&& more : {openmp(), gnu_parallel()})
    result.insert(result.end(), more.begin(), more.end());
  return result;
}

}  // namespace

participants::participants(unsigned all_workers)
    : workers(all_workers),
      one({.workers = 1}),
      many(all_workers > 1 ? std::make_unique<whole_pool>(pool_config{.workers = all_workers})
                           : nullptr),
      serial(api::serial()),
      ours(api::ours(pools_of(one, many.get()))),
      rivals(all_rivals()) {}

participants::played participants::play(problem what, const settings& with, bool on_one_too) {
  played result{std::make_unique<field>(std::move(what), serial), nullptr, nullptr, {}};
  field& f = *result.of;
  const auto add = [&](unsigned threads) {
    result.ours_on_all = f.add_if_able(ours, threads);
    result.rivals_on_all.clear();
    for (const auto& each : rivals)
      if (const auto* const c = f.add_if_able(each, threads)) result.rivals_on_all.push_back(c);
  };
  if (on_one_too || workers == 1) {
    add(1);
    result.ours_on_one = result.ours_on_all;
  }
  if (workers > 1) add(workers);
  f.play(with);
  return result;
}

target against_rivals(const participants::played& f, double limit) {
  target result{f.of->name() + ", heist to the best rival", "", bound::at_most, limit, {}, ""};
  if (const auto* const best = fastest(f.rivals_on_all)) {
    result.measured = ratio(f.ours_on_all->results, best->results).median();
    result.note = best->name;
  } else {
    result.note = "no rival is built in";
  }
  return result;
}

namespace {

using workloads::integer_option;

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  constexpr std::int64_t most = 1'000'000'000;
  return {
      workloads::choice_option("table", "which of them", "all",
                               {"all", "algorithms", "one-worker", "sweep", "locks", "graph"}),
      integer_option("loop-n", "iterations of axpy", quick ? 20'000 : 100'000'000, 1, most),
      integer_option("uneven-n", "iterations of the uneven loop", quick ? 2000 : 1'000'000, 1,
                     most),
      integer_option("tiny-times", "how often the loop of 100 runs", quick ? 20 : 20'000, 1, most),
      integer_option("array-n", "elements to reduce and to scan", quick ? 20'000 : 50'000'000, 1,
                     most),
      integer_option("sort-n", "integers to sort", quick ? 5000 : 10'000'000, 1, most),
      integer_option("one-worker-n", "iterations of the longest loop on one worker",
                     quick ? 10'000 : 100'000'000, 1, most),
      integer_option("sweep-n", "iterations of the longest loop of the sweep",
                     quick ? 10 : 1'000'000, 1, most),
      integer_option("cell-ms", "longest serial time of a cell of the sweep", quick ? 1 : 1000, 1,
                     3'600'000),
      integer_option("lock-times", "how often a lock is taken", quick ? 2000 : 10'000'000, 1, most),
      integer_option("graph-n", "tasks of the graph", quick ? 1000 : 1'000'000, 1, 100'000'000)};
}

// The sizes of tables for which no size was given.
void refuse_other_sizes(const workloads::option_values& values, const std::string& chosen) {
  if (chosen == "all") return;
  const std::pair<std::string_view, std::vector<std::string_view>> sizes[] = {
      {"algorithms", {"loop-n", "uneven-n", "tiny-times", "array-n", "sort-n"}},
      {"one-worker", {"one-worker-n"}},
      {"sweep", {"sweep-n", "cell-ms"}},
      {"locks", {"lock-times"}},
      {"graph", {"graph-n"}}};
  for (const auto& [table, names] : sizes)
    if (table != chosen) values.refuse(names, "--table " + chosen);
}

results run(const workloads::option_values& values, const settings& with) {
  participants by(workers_of(with));
  results result;
  result.title = fmt::format("loops, algorithms, locks and graphs, {} worker{}; {} rounds",
                             by.workers, by.workers == 1 ? "" : "s", with.repeat);
  const auto& chosen = values.text("table");
  refuse_other_sizes(values, chosen);
  const auto is_asked = [&](std::string_view table) { return chosen == "all" || chosen == table; };
  if (is_asked("algorithms")) {
    algorithms_table(result, by,
                     {values.size("loop-n"), values.size("uneven-n"), values.size("tiny-times"),
                      values.size("array-n"), values.size("sort-n")},
                     with);
  }
  if (is_asked("one-worker")) one_worker_table(result, by, values.size("one-worker-n"), with);
  if (is_asked("sweep")) {
    sweep_table(result, by, values.size("sweep-n"),
                static_cast<double>(values.integer("cell-ms")) / 1e3, with);
  }
  if (is_asked("locks")) locks_table(result, by, values.size("lock-times"), with);
  if (is_asked("graph")) graph_table(result, by, values.size("graph-n"), with);
  if (onetbb().empty()) result.rows.push_back({"oneTBB", {}, "not built in"});
  if (openmp().empty()) result.rows.push_back({"OpenMP", {}, "not built in"});
  if (gnu_parallel().empty()) result.rows.push_back({"GNU parallel mode", {}, "not built in"});
  return result;
}

}  // namespace

}  // namespace api

benchmark api_benchmark() {
  return {"api",
          "loops, algorithms, locks and graphs against serial code, oneTBB, OpenMP and GNU's "
          "parallel mode",
          &api::options, &api::run};
}

}  // namespace heist::bench
