// The arguments of `heist report`.
#pragma once

#include <memory>

#include "cli/report.hpp"

namespace CLI {
class App;
}

namespace heist::cli {

class report_parser {
 public:
  explicit report_parser(CLI::App& root);
  ~report_parser();

  [[nodiscard]] bool is_given() const;
  // Throws usage_error.
  [[nodiscard]] report_request to_request() const;

 private:
  struct texts;  // the values as they were given

  CLI::App& app_;
  std::unique_ptr<texts> given_;
};

}  // namespace heist::cli
