// What a workload is, for the programs that run one without knowing which: the command line, the
// tests and the benchmarks.
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

#include "workloads/options.hpp"

namespace heist::workloads {

// How much was done in one run, to turn a time into a time per item. No unit: the workload has none
// that would mean something.
struct work_count {
  double items = 0;
  std::string_view unit;
};

// One workload with its input and its last result. Used by one thread at a time, except for what
// run() itself forks.
class instance {
 public:
  instance() = default;
  instance(const instance&) = delete;
  instance& operator=(const instance&) = delete;
  virtual ~instance() = default;

  // Restores the input and forgets the result. Call it before every run: sorting a sorted array
  // measures something else.
  virtual void reset() {}

  // The same algorithm in plain serial code, as somebody would write it who has no runtime: the Ts
  // of every ratio.
  virtual void run_serial() = 0;

  // The parallel program. Call it inside pool::run, or from any thread to use the default pool.
  virtual void run() = 0;

  // The result of the last run in a few words, for a person.
  [[nodiscard]] virtual std::string result() const = 0;

  // A hash over the whole result of the last run: equal for the serial and the parallel run, bit
  // for bit.
  [[nodiscard]] virtual std::uint64_t checksum() const = 0;

  // What is wrong with the last result in itself, whatever the serial run says: an unsorted array,
  // a published count missed.
  [[nodiscard]] virtual std::optional<std::string> mistake() const { return std::nullopt; }

  // What the last run worked through.
  [[nodiscard]] virtual work_count work() const { return {}; }

  // Writes the file that the options asked for, if any. Throws resource_error when it cannot be
  // written whole.
  virtual void write_output() {}
};

class workload {
 public:
  workload() = default;
  workload(const workload&) = delete;
  workload& operator=(const workload&) = delete;
  virtual ~workload() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::string_view summary() const = 0;
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
