// Work and span of a run: how long its functions took in all (T1), how long the longest chain of
// them is of which each has to wait for the one before (Tinf), and what that allows.
//
//     heist::start_work_span();
//     {
//       heist::pool p;                      // made after the start: it is measured
//       p.run([] { program(); });
//     }
//     const heist::work_span measured = heist::stop_work_span();
//     std::fputs(heist::to_string(measured).c_str(), stderr);
//
// HEIST_PROFILE=workspan does the same for a whole program. docs/work_and_span.md says what counts
// as work, which rule each construct has, and what measuring costs.
//
// Source: He, Leiserson, Leiserson, The Cilkview scalability analyzer, 2010.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heist/detail/export.hpp"
#include "heist/detail/requirements.hpp"

namespace heist::inline v0 {

// What the burdened span charges, in nanoseconds.
struct work_span_costs {
  double fork_ns = 3;               // to both functions of a fork
  double steal_ns = 1500;           // to the one that a thief may take, before it begins
  double suspend_ns = 1000;         // to what follows the join, if it has to wait for that one
  std::string source = "defaults";  // where they come from, for reports
};

// Choices for one measurement.
struct work_span_options {
  work_span_costs costs{};  // for the burdened span
  // Keeps the forks as a DAG, for the simulator (work_span::dag).
  bool keep_dag = false;
  // What takes less than this is one node of the DAG, whatever it forks.
  double dag_leaf_ns = 20'000;
  // The seconds that a run on one worker takes without the profile: the DAG's times are scaled so
  // that they sum up to that, since the profile makes short strands longer. 0: they stay.
  double dag_work = 0;
};

// A part of the run, by the regions (heist/region.hpp) in which it ran, in seconds. One with others
// inside it has their work too.
struct work_span_region {
  std::string name;           // "parse", or "parse/numbers" for one in another
  std::uint64_t entries = 0;  // how often it began
  double own_work = 0;        // in no region further inside
  double work = 0;            // T1
  double span = 0;            // Tinf: the sum of those of all entries
  double burdened_span = 0;   // likewise
  double on_path = 0;         // of own_work: on the critical path of the whole run
};

// In seconds.
struct work_span {
  double work = 0;            // T1; that of threads outside included
  double outside = 0;         // of it: threads outside the pools that called them
  double span = 0;            // Tinf
  double burdened_span = 0;   // with the costs
  work_span_costs costs{};    // those with which the burdened span was computed
  std::uint64_t forks = 0;    // of them: those of scopes
  std::uint64_t spawns = 0;   // children of scopes that began at once
  std::uint64_t steals = 0;   // functions that a thief ran
  std::uint64_t strands = 0;  // pieces of work that were timed
  std::uint64_t refused = 0;  // forks that were calls, as the deque was full or a policy said so
  double clock_ns = 0;        // what an empty strand seems to take; taken off for each
  // The first is the part outside all regions. In the order in which they were first entered.
  std::vector<work_span_region> regions;
  // What the run did that these figures leave out, a sentence each.
  std::vector<std::string> not_covered;
  // With keep_dag: a file for `heist sim --dag file:FILE`; else empty.
  std::string dag;

  // T1/Tinf: on more processors than that the program gains nothing; burdened_parallelism() is what
  // is left of it where steals cost something. 1 if nothing was measured.
  [[nodiscard]] double parallelism() const noexcept { return span > 0 ? work / span : 1; }
  [[nodiscard]] double burdened_parallelism() const noexcept {
    return burdened_span > 0 ? work / burdened_span : 1;
  }
  // Bounds of the speed-up T1/TP. The upper one is the laws of work and span: min(P, T1/Tinf). The
  // lower one is what Cilkview prints: T1 / (T1/P + 1.7 (1 - 1/P) burdened span).
  [[nodiscard]] HEIST_API double most_speedup(unsigned processors) const noexcept;
  [[nodiscard]] HEIST_API double least_speedup(unsigned processors) const noexcept;
};

// From now on pools that are made are measured; those that exist are not. Throws usage_error if a
// measurement runs already, and what making a pool throws. Takes some 15 ms.
HEIST_API void start_work_span(const work_span_options& options = {});

// Ends the measurement and returns what the pools have done. To be called when nothing runs in
// them: what still does is left out, as far as it isn't finished. Throws usage_error if none runs.
[[nodiscard]] HEIST_API work_span stop_work_span();

// Text for people, of several lines.
[[nodiscard]] HEIST_API std::string to_string(const work_span& measured);
// One JSON object; docs/work_and_span.md names its fields. Times are in seconds.
[[nodiscard]] HEIST_API std::string to_json(const work_span& measured);

}  // namespace heist::inline v0
