// Compares the stack space on P workers with S1, the space of one worker: it is at most S1*P
// (Blumofe and Leiserson, 1999, theorem 2: every leaf of the tree of live frames is being worked
// on).
//
// The space is measured as extents (extent_meter.hpp) of the program's frames; the scheduler's own
// frames on each stack are not counted. S1 is the peak on one worker. The value compared with S1*P
// is the peak on P workers plus, for each stack beyond P that was in use at the same time, the
// bytes that a suspended join spans below its frame, which the marks cannot see. P of the stacks in
// use are running, so no more than the others are suspended. The figure is at least the true value,
// and S1 at most.
#include <functional>
#include <memory>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "bench/fork_join/fib.hpp"
#include "bench/rounds.hpp"
#include "bench/space/marked_workloads.hpp"
#include "bench/space/programs.hpp"
#include "workloads/nqueens/nqueens.hpp"

namespace heist::bench {

namespace {

using workloads::integer_option;

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {integer_option("fib", "which Fibonacci number", quick ? 16 : 27, 2, 40),
          integer_option("queens", "queens on a board", quick ? 7 : 10, 4, 14),
          integer_option("links", "of the chains", quick ? 200 : 5000, 1, 20'000),
          workloads::choice_option("workloads", "sizes of the workloads", quick ? "small" : "usual",
                                   {"small", "usual"}),
          workloads::path_option("probe", "heist-space-probe [beside the command]")};
}

struct program {
  std::string name;
  std::function<extents(unsigned workers)> measure;
};

// Each run has a pool of its own, so that the pool's peak of stacks is that of the run.
extents measure_extents(const std::string& name, std::uint64_t expected, unsigned workers,
                        const std::function<std::uint64_t(extent_meter&)>& run) {
  whole_pool on({.workers = workers});
  const auto meter = std::make_unique<extent_meter>(bytes_of_loop());
  check_result(name, expected, on.run([&] { return run(*meter); }));
  if (meter->has_overflowed()) throw resource_error("space: more fibers than the meter has cells");
  return {static_cast<double>(meter->peak()), static_cast<double>(meter->largest()),
          static_cast<double>(on.stats().stacks_peak)};
}

program marked_program(std::string name, std::uint64_t expected,
                       std::function<std::uint64_t(extent_meter&)> run) {
  return {name, [=](unsigned workers) { return measure_extents(name, expected, workers, run); }};
}

std::vector<program> programs(const workloads::option_values& values) {
  const auto n = values.size("fib");
  const auto queens = static_cast<unsigned>(values.size("queens"));
  const auto links = static_cast<unsigned>(values.size("links"));
  const auto chain_result = links * fib_by_addition(metered::link_size);
  std::vector<program> all = {
      marked_program(fmt::format("fib({})", n), serial::fib(n),
                     [n](auto& meter) { return metered::fib(meter, n); }),
      marked_program(fmt::format("{} queens", queens),
                     workloads::count_boards_serially(workloads::chessboard::empty(queens)),
                     [queens](auto& meter) { return metered::queens(meter, queens); }),
      marked_program(fmt::format("chain of {}", links), chain_result,
                     [links](auto& meter) { return metered::chain(meter, links); }),
      marked_program(fmt::format("reversed chain of {}", links), chain_result,
                     [links](auto& meter) { return metered::reversed_chain(meter, links); })};
  const std::string probe = find_space_probe(values);
  if (probe.empty()) return all;
  const auto size = values.text("workloads") == "small" ? scale::quick : scale::full;
  for (const auto& each : marked_workloads(size)) {
    std::string name = "workload " + each.name;
    for (const auto& text : each.options) name += ' ' + text;
    all.push_back({name, [each, probe](unsigned workers) { return each.measure(probe, workers); }});
  }
  return all;
}

struct findings {
  samples space;  // with the suspended joins
  samples largest, stacks;
  samples share;  // of S1*P
};

findings measure_program(const program& which, double serial_space, double join_bytes,
                         unsigned workers, const settings& with) {
  findings found;
  for (unsigned round = 1; round <= with.repeat; ++round) {
    with.announce(
        fmt::format("{}, {} workers, round {} of {}", which.name, workers, round, with.repeat));
    const extents at = which.measure(workers);
    const double space = at.with_joins(workers, join_bytes);
    found.space.add(space * 1e-3);
    found.largest.add(at.largest * 1e-3);
    found.stacks.add(at.stacks);
    found.share.add(space / (serial_space * workers));
  }
  return found;
}

results run(const workloads::option_values& values, const settings& with) {
  const std::vector<unsigned> sizes =
      with.workers != 0 ? std::vector{with.workers} : std::vector{2u, 8u};
  const auto join_bytes = static_cast<double>(bytes_of_suspended_join());
  results result;
  result.title = fmt::format("stack extents against S1*P; {} rounds", with.repeat);
  for (const auto& each : programs(values)) {
    const extents one = each.measure(1);
    result.rows.push_back(
        {each.name + ", 1 worker", {{"S1", "kB", samples({one.marked * 1e-3})}}, {}});
    for (const unsigned workers : sizes) {
      const auto found = measure_program(each, one.marked, join_bytes, workers, with);
      const auto name = fmt::format("{}, {} workers", each.name, workers);
      result.rows.push_back({name,
                             {{"space", "kB", found.space},
                              {"largest stack", "kB", found.largest},
                              {"stacks", "", found.stacks},
                              {"of S1*P", "", found.share}},
                             {}});
      result.targets.push_back({fmt::format("{}: S_P/(S1*P)", name), "", bound::at_most, 1,
                                found.share.greatest(), "the greatest of all rounds"});
    }
  }
  result.notes = {
      fmt::format("{:.0f} bytes for a suspended join are added for each stack in use "
                  "beyond P, so S_P is an upper bound",
                  join_bytes),
      fmt::format("extents are address ranges from a stack's top, not pages; the first {} bytes "
                  "of each are the scheduler's loop and not counted, in S1 neither",
                  bytes_of_loop()),
      find_space_probe(values).empty()
          ? "no workloads: heist-space-probe is not beside the command; scripts/build space"
          : "workload: the program of heist run, compiled with every function marked"};
  return result;
}

}  // namespace

benchmark space_benchmark() {
  return {"space", "stack space on P workers against S1*P", &options, &run};
}

}  // namespace heist::bench
