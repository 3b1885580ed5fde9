// Child stealing and continuation stealing in a loop of N spawns: in which order the children
// begin, and how many entries wait on the deque.
#include <algorithm>
#include <deque>

#include <fmt/format.h>

#include <heist/presets.hpp>
#include <heist/scope.hpp>

#include "bench/rounds.hpp"
#include "runtime/core/fork_deque.hpp"
#include "runtime/core/worker.hpp"

namespace heist::bench {

namespace {

using report::series_style;
using workloads::integer_option;

// Quick enough at both scales.
std::vector<workloads::option_spec> options(scale /*of*/) {
  return {integer_option("most", "spawns of the longest loop", 100'000, 10, 1'000'000)};
}

// The entries on the deque of the worker that calls. Only thieves could change it meanwhile.
std::size_t entries_of_this_worker() { return detail::self_worker().forks->size_hint(); }

struct observed {
  std::uint64_t first = 0, last = 0;  // the numbers of the children that began first and last
  std::uint64_t in_order = 0;         // children that began right after the one spawned before
  std::size_t entries = 0;            // the most that any child, or the end of the loop, found
  double seconds = 0;
};

// One worker: all of it happens one after another.
observed run_loop(pool& on, spawn_kind kind, std::uint64_t n, const std::string& name) {
  observed seen;
  std::vector<std::uint64_t> begun;
  begun.reserve(n);
  const auto look = [&] { seen.entries = std::max(seen.entries, entries_of_this_worker()); };
  const auto loop = [&](task_scope& s) {
    for (std::uint64_t i = 0; i < n; ++i)
      s.spawn([&begun, &look, i] {
        begun.push_back(i);
        look();
      });
    look();
  };
  seen.seconds = seconds_of([&] { on.run([&] { scope(kind, loop); }); });
  check_result(name, n, begun.size());
  std::vector<bool> ran(n);
  for (const auto child : begun) ran[child] = true;
  check_result(name, n, static_cast<std::uint64_t>(std::count(ran.begin(), ran.end(), true)));
  seen.first = begun.front();
  seen.last = begun.back();
  for (std::size_t i = 1; i < begun.size(); ++i) seen.in_order += begun[i] == begun[i - 1] + 1;
  return seen;
}

struct contender {
  spawn_kind kind;
  std::uint64_t n;
  samples first = {}, last = {}, in_order = {}, entries = {};
  contestant* turn = nullptr;
};

row row_of(const contender& of) {
  return {fmt::format("{} stealing", to_string(of.kind)),
          {{"began first", "", of.first},
           {"began last", "", of.last},
           {"began after the one before", "", of.in_order},
           {"entries on the deque", "", of.entries},
           {"each", "ns", scaled(of.turn->results, 1e9 / static_cast<double>(of.n))}},
          {},
          fmt::format("N = {}", of.n)};
}

results run(const workloads::option_values& values, const settings& with) {
  auto config = presets::cilk();
  config.workers = 1;
  config.fork_depth = values.size("most") + 1;  // what finds no place on a deque is a call
  whole_pool on(config);
  contest turns;
  std::deque<contender> all;  // whose addresses the turns keep
  for (std::uint64_t n = 10; n <= values.size("most"); n *= 10)
    for (const auto kind : {spawn_kind::child, spawn_kind::continuation}) {
      auto& added = all.emplace_back(contender{kind, n});
      const auto name = fmt::format("N = {}, {}", n, to_string(kind));
      added.turn = &turns.add(name, [&added, &on, name] {
        const auto seen = run_loop(on, added.kind, added.n, name);
        added.first.add(static_cast<double>(seen.first));
        added.last.add(static_cast<double>(seen.last));
        added.in_order.add(static_cast<double>(seen.in_order));
        added.entries.add(static_cast<double>(seen.entries));
        return seen.seconds;
      });
    }
  turns.play(with);

  results result;
  result.title = fmt::format("a loop of N spawns on one worker, N up to {}; {} rounds",
                             all.back().n, with.repeat);
  report::chart shown{"Entries that wait on the deque",
                      {"N, spawns of the loop", report::axis_scale::log10},
                      {"entries, at most", report::axis_scale::log10},
                      {}};
  for (const auto kind : {spawn_kind::child, spawn_kind::continuation}) {
    auto& line = shown.all.emplace_back(
        report::series{fmt::format("{} stealing", to_string(kind)), series_style::line});
    for (const auto& each : all)
      if (each.kind == kind)
        line.points.push_back({static_cast<double>(each.n), each.entries.greatest()});
  }
  for (const auto& each : all) result.rows.push_back(row_of(each));
  result.charts = {std::move(shown)};
  result.source = "CS149, lecture 5: child stealing and continuation stealing of a loop of spawns";
  result.notes = {
      "A child looks at its worker's deque when it begins, and so does the loop when it has ended: "
      "the greatest number that any of them found",
      "The deque is Chase and Lev's, with room for all children; a pool's default is 32768 "
      "entries, and what finds no place is a call",
      "Children are numbered from 0 in the order of the loop",
      "The document names O(N) entries for child stealing, and a serial program's order and "
      "bounded space for continuation stealing",
  };
  return result;
}

}  // namespace

benchmark spawn_order_benchmark() {
  return {"spawn_order", "child and continuation stealing: the order, and what waits on the deque",
          &options, &run};
}

}  // namespace heist::bench
