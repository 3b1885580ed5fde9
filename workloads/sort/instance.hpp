// The sorts share this as workloads: the input, a fresh copy of it before each run, and the
// check.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "workloads/workload.hpp"

namespace heist::workloads {

// The sorts differ only in what they do between reset() and checksum().
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

// The options --size, --seed, --order, --file and --cutoff, which the sorts share.
[[nodiscard]] std::vector<option_spec> sort_options();

// The input that the options choose. `copies` is the number of arrays of its size that the sort
// holds in all. Throws resource_error if they do not fit the memory or if the file cannot be read.
[[nodiscard]] std::vector<std::int64_t> sort_input(std::string_view sort,
                                                   const option_values& values,
                                                   std::uint64_t copies);

}  // namespace heist::workloads
