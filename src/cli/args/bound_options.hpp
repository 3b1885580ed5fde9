// Options that a workload or a benchmark declares, as options of CLI11. All values are taken as
// text and checked by option_values, so that a bad value gets the same message wherever it comes
// from.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "workloads/options.hpp"

namespace heist::cli {

class bound_options {
 public:
  void add(CLI::App& app, const std::vector<workloads::option_spec>& specs);

  // Sets those that were given.
  void copy_to(workloads::option_values& values) const;

  // An empty result means that none was given.
  [[nodiscard]] std::string first_given() const;

 private:
  struct given {
    std::string name;
    std::string text;
    CLI::Option* option;
  };

  std::deque<given> given_;  // a deque: CLI11 keeps the addresses of the texts
  std::vector<std::string> files_;
};

// An option without a default: where it is not given the pool decides.
[[nodiscard]] workloads::option_spec pool_option(std::string name, std::string help,
                                                 std::int64_t min, std::int64_t max);

// The arguments that no option took.
[[nodiscard]] std::vector<std::string> extras_of(const CLI::App& app);

}  // namespace heist::cli
