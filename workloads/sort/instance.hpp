// What the two sorts share as workloads: their input, its fresh copy before each run, and the
// check.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "workloads/workload.hpp"

namespace heist::workloads {

// The sorts differ in what they do between reset() and checksum().
class sort_instance : public instance {
 public:
  explicit sort_instance(std::vector<std::int64_t> input);

  void reset() override { values_ = input_; }
  [[nodiscard]] std::string result() const override;
  [[nodiscard]] std::uint64_t checksum() const override;
  [[nodiscard]] std::optional<std::string> mistake() const override;
  [[nodiscard]] work_count work() const override;

 protected:
  [[nodiscard]] std::vector<std::int64_t>& values() { return values_; }

 private:
  std::vector<std::int64_t> input_;
  std::vector<std::int64_t> values_;
  std::uint64_t input_hash_;
};

// --size, --seed, --order, --file and --cutoff, the same for both.
[[nodiscard]] std::vector<option_spec> sort_options();

// The input that the options ask for. `copies` is how many arrays of its size the sort holds in
// all; throws resource_error when they don't fit, or for the file.
[[nodiscard]] std::vector<std::int64_t> sort_input(std::string_view sort,
                                                   const option_values& values,
                                                   std::uint64_t copies);

}  // namespace heist::workloads
