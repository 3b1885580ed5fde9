// The arguments of `heist theory`.
#pragma once

#include <memory>
#include <string>

#include "cli/theory.hpp"

namespace CLI {
class App;
}

namespace heist::cli {

class theory_parser {
 public:
  explicit theory_parser(CLI::App& root);
  ~theory_parser();

  [[nodiscard]] bool is_given() const;
  // Throws usage_error. `command` is the command line as it was given.
  [[nodiscard]] theory_request to_request(const std::string& command) const;

 private:
  struct texts;  // the values as they were given

  [[nodiscard]] recycling_request to_recycling(const std::string& command) const;
  [[nodiscard]] bounds_request to_bounds(const std::string& command) const;
  [[nodiscard]] kernel_study_request to_kernel_study(const std::string& command) const;
  [[nodiscard]] granularity_request to_granularity(const std::string& command) const;

  CLI::App& app_;
  std::unique_ptr<texts> given_;
};

}  // namespace heist::cli
