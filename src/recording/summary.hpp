// What a recording says in numbers: who worked when, on what, and what the others lacked meanwhile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "recording/recording.hpp"
#include "trace/lane_slices.hpp"
#include "trace/log.hpp"

namespace heist::inline v0::trace {

inline constexpr std::size_t state_count = std::size(state_names);

// All times in nanoseconds.
struct lane_summary {
  std::array<std::uint64_t, state_count> in_state{};  // by lane_state
  std::uint64_t steals = 0, jobs = 0, suspends = 0, parks = 0, exposes = 0;
  // On a processor, and able to run without having one, as far as the system tells.
  std::uint64_t processor_ns = 0, ready_ns = 0;
  // The rest of the time in which a worker seemed to work or to look for work: it slept, and not by
  // heist.
  std::uint64_t slept_ns = 0;
};

// Why a worker had nothing to do. A worker says at the end of a spell what it saw then (idle_why);
// who worked at each moment of the spell corrects it. While one thread works in the pools, the lack
// of work is a serial phase, while several do, it is none; and while nobody does, the program has
// given the pools nothing.
enum class idle_cause : std::uint8_t { no_work, private_work, serial_phase, blocked, not_given };
inline constexpr const char* cause_names[] = {"no_work", "private_work", "serial_phase", "blocked",
                                              "not_given"};
inline constexpr std::size_t cause_count = std::size(cause_names);
// The phrase for it, as `heist explain` has it.
[[nodiscard]] std::string words_for(idle_cause c);

// A region, or (number 0) what belonged to none.
struct region_summary {
  std::uint32_t number = 0;    // index into names
  std::uint64_t work_ns = 0;   // of all lanes
  std::uint64_t span_ns = 0;   // in which at least one lane worked in it
  std::uint64_t alone_ns = 0;  // in which one lane did and no other one worked at all
  // Of the workers in that time: idle for serial_phase, and for not_given.
  std::uint64_t serial_idle_ns = 0, outside_idle_ns = 0;
  std::uint64_t entered = 0;   // region_begin
  std::uint64_t slept_ns = 0;  // as in lane_summary, by the region at the end of the sleep
  // Stolen jobs that ended where they began, and of these the short ones (short_job_ns).
  std::uint64_t jobs = 0, short_jobs = 0;
  // How long it took to go through it once, where it ended on the thread on which it began.
  std::uint64_t passes = 0;
  double pass_mean_ns = 0, pass_deviation_ns = 0;  // standard deviation
};
inline constexpr double short_job_ns = 5'000;  // a steal costs about a tenth of it

// What suspended functions waited for.
struct wait_summary {
  std::uint32_t kind = 0;    // index into awaited_names
  std::uint64_t object = 0;  // where it lies in memory; 0: any that can be used once
  std::uint32_t region = 0;  // in which they waited
  std::uint32_t name = 0;    // of the object, under HEIST_CHECK=1
  std::uint64_t count = 0, sum_ns = 0, greatest_ns = 0;
};

struct spread {
  std::uint64_t count = 0;
  double sum = 0, median = 0, greatest = 0;
  std::vector<std::uint64_t> buckets;  // how many values: as log2_histogram's, up to the last used
  [[nodiscard]] double mean() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
};

struct summary {
  unsigned workers = 0;
  std::vector<lane_summary> lanes;
  std::vector<region_summary> regions;  // by work, the most first
  // Of all workers: how long they were there, how long somebody worked in their places (a caller
  // works in that of one that sleeps), and the rest by idle_cause.
  std::uint64_t capacity_ns = 0, work_ns = 0;
  std::array<std::uint64_t, cause_count> idle_ns{};
  // Of the rest that for which the machine had no processor: for one that worked, and for the only
  // ones that could have given work to others.
  std::uint64_t taken_ns = 0;
  // Of all lanes, as in lane_summary.
  std::uint64_t processor_ns = 0, ready_ns = 0;
  bool knows_usage = false;  // the system tells it
  // What all threads worked, and of that what one did while no other one worked.
  std::uint64_t busy_ns = 0, alone_ns = 0;
  std::uint64_t lost_events = 0;
  std::vector<wait_summary> waits;          // the longest together first
  spread steal_ns, wake_ns, job_ns, depth;  // job_ns: stolen jobs that ended where they began
  spread spell_ns;                          // from looking for work in vain until some was found
  std::vector<std::uint64_t> steal_places;  // steals, by how far apart in number the workers are
  std::array<std::uint64_t, event_kinds> events{};  // by event_kind
  // By lane_state, how many of the pools' workers were in it in each of `steps` equal parts of the
  // time.
  std::vector<std::array<double, state_count>> use;
  [[nodiscard]] std::uint64_t all_idle_ns() const {
    return std::accumulate(idle_ns.begin(), idle_ns.end(), std::uint64_t{0});
  }
};

// The part of the time in which threads could run for which the machine gave them a processor; 1 if
// the system doesn't tell.
[[nodiscard]] double processor_share(const summary& of);

// Amdahl's law for a run: how many times as fast as on one processor it is on so many at most, if
// what one thread did alone stays so and the rest is divided evenly. HUGE_VAL processors: on any
// number. 0 of a run in which nobody worked.
[[nodiscard]] double most_speedup(const summary& of, double processors);

// Takes time in proportion to the events and the logarithm of their number.
[[nodiscard]] summary summarise(const log& of, std::size_t steps = 500);

// Why the program isn't faster, in sentences with a number and a remedy each, the gravest first.
// Never empty.
struct finding {
  const char* key;  // the kind, for programs
  std::string what, remedy;
  double weight = 0;  // the share of the workers' time that it is about
};
[[nodiscard]] std::vector<finding> findings_of(const recording& of, const summary& numbers);

// What the machine gave the threads, in one sentence.
[[nodiscard]] std::string machine_line_of(const summary& numbers);

// How many workers there were, for how much of their time they worked, and what they lacked most.
[[nodiscard]] std::string headline_of(const summary& numbers);

// All of it as one object, which `heist report --json` prints and the page of a run draws.
[[nodiscard]] nlohmann::json to_json(const recording& of, const summary& numbers);

}  // namespace heist::inline v0::trace
