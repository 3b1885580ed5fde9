// The interface of a workload, for the programs that run any of them: the command line, the tests
// and the benchmarks.
//
// A workload describes itself and its options; make() checks the options and allocates everything,
// so that a bad argument or too little memory is reported before anything is timed. The instance
// that make() returns runs as often as the caller likes:
//
//     auto instance = workload.make(values);
//     instance->reset();                                  // fresh input, not timed
//     instance->run_serial();                             // the plain serial program
//     auto expected = instance->checksum();
//     instance->reset();
//     pool.run([&] { instance->run(); });                 // the same algorithm, forked
//     assert(instance->checksum() == expected && !instance->mistake());

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/execution.hpp"
#include "workloads/options.hpp"

namespace heist::workloads {

// The amount of work in one run, which turns a time into a time per item. Without a unit, the
// workload has none that is meaningful.
struct work_count {
  double items = 0;
  std::string_view unit;
};

// One workload with its input and its last result. Only one thread may use it at a time, except for
// the functions that run() itself forks.
class instance {
 public:
  instance() = default;
  instance(const instance&) = delete;
  instance& operator=(const instance&) = delete;
  virtual ~instance() = default;

  // Restores the input and forgets the result. Call it before every run: sorting a sorted array
  // measures something else.
  virtual void reset() {}

  // Runs the same algorithm in plain serial code, as one would write it without a runtime. Its time
  // is the Ts of every ratio.
  virtual void run_serial() = 0;

  // Runs the parallel program, made of these constructs. Call it inside pool::run of `how.on`, or
  // with forks from any thread to use the default pool. Throws usage_error if the program can't be
  // run so.
  virtual void run_with(const execution& how) = 0;
  // The same with forks.
  void run() { run_with({}); }

  // The result of the last run in a few words, for a person.
  [[nodiscard]] virtual std::string result() const = 0;

  // A hash over the whole result of the last run: equal for the serial and the parallel run, bit
  // for bit.
  [[nodiscard]] virtual std::uint64_t checksum() const = 0;

  // An error in the last result that is visible without the serial run: an unsorted array, or a
  // count other than the published one.
  [[nodiscard]] virtual std::optional<std::string> mistake() const { return std::nullopt; }

  // The amount of work in the last run.
  [[nodiscard]] virtual work_count work() const { return {}; }

  // Writes the file that the options name, if any. Throws resource_error if it cannot be written
  // completely.
  virtual void write_output() {}
};

// What a program is like, for those who choose one.
struct profile {
  std::string_view shape;       // "forks", "loops", "loops in rounds", "a graph"
  std::string_view stresses;    // what it is there for
  std::string_view source;      // of the algorithm, or of the program
  bool has_only_loops = false;  // so a plan can run it
};

class workload {
 public:
  workload() = default;
  workload(const workload&) = delete;
  workload& operator=(const workload&) = delete;
  virtual ~workload() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::string_view summary() const = 0;
  [[nodiscard]] virtual profile describe() const = 0;
  [[nodiscard]] virtual std::vector<option_spec> options() const = 0;

  // Throws usage_error for options that contradict each other, resource_error for files that cannot
  // be read and for sizes that do not fit the memory. `values` must come from options() of this
  // workload.
  [[nodiscard]] virtual std::unique_ptr<instance> make(const option_values& values) const = 0;
};

// Every workload, in the order in which they are shown. The objects live as long as the process.
[[nodiscard]] const std::vector<const workload*>& all();

// The workload of this name, or nullptr.
[[nodiscard]] const workload* find(std::string_view name);

}  // namespace heist::workloads
