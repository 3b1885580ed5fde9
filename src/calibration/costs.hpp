// What the runtime's operations cost on this machine, measured one by one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <heist/pool.hpp>

#include "bench/machine.hpp"
#include "lab/engines/cost_model.hpp"
#include "report/samples.hpp"

namespace heist::calibration {

// The mean of what run(i) returns. So many threads call it at once, each on a processor of its own
// if there are as many, as soon as prepare(i) has returned in each of them.
[[nodiscard]] double seconds_beside(
    unsigned threads, const std::function<double(unsigned)>& run,
    const std::function<void(unsigned)>& prepare = [](unsigned) {});

// Measures fork_ns once, with fib(n).
[[nodiscard]] double measure_fork_ns(pool& one_worker, std::uint64_t n);

struct measured_cost {
  std::string name;  // the field in the file
  report::samples values;
  std::string what;  // in a few words
};

// The costs between processors of one kind of distance.
struct measured_distance {
  std::string name;
  std::uint32_t processors = 0;  // how many are within this distance of each other
  int first = 0, second = 0;     // the pair that was measured
  report::samples steal_ns, failed_attempt_ns;
};

struct measured_costs {
  report::machine machine;
  std::string topology;  // one line, or why there is none
  unsigned workers = 0;
  std::vector<measured_cost> costs;
  std::vector<measured_distance> distances;  // empty: the topology is unknown

  [[nodiscard]] const report::samples& values(std::string_view name) const;
  [[nodiscard]] lab::cost_model model(const lab::measured_figure& figure = lab::median_cost) const;
  // What says that another program had the processors, a line each; empty: nothing does.
  [[nodiscard]] std::vector<std::string> doubts() const;
};

struct measure_settings {
  unsigned workers = 0;  // at least 2
  unsigned repeat = 5;   // rounds
  bool is_quick = false;
};

// Throws resource_error where the machine has one processor only, or refuses threads.
[[nodiscard]] measured_costs measure_costs(const measure_settings& settings,
                                           const std::function<void(const std::string&)>& announce);

}  // namespace heist::calibration
