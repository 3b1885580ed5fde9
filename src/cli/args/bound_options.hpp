// Options that a workload or a benchmark declares, as options of a command. All values are taken as
// text and checked by option_values, so that a bad value gets the same message wherever it comes
// from.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "cli/args/arguments.hpp"
#include "workloads/options.hpp"

namespace heist::cli {

class bound_options {
 public:
  // To one command; the object lives until its command line has been read.
  void add(arguments& to, const std::vector<workloads::option_spec>& specs);

  // Sets those that were given.
  void copy_to(workloads::option_values& values) const;

  // An empty result means that none was given.
  [[nodiscard]] std::string first_given() const;

 private:
  struct given {
    std::string name;
    std::string text;
  };

  [[nodiscard]] bool is_given(const given& one) const { return to_->is_given("--" + one.name); }

  const arguments* to_ = nullptr;
  std::deque<given> given_;  // a deque: the options keep the addresses of the texts
  std::vector<std::string> files_;
};

// An option without a default: where it is not given the pool decides.
[[nodiscard]] workloads::option_spec pool_option(std::string name, std::string help,
                                                 std::int64_t min, std::int64_t max);

}  // namespace heist::cli
