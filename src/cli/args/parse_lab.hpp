// The arguments of `heist lab`.
#pragma once

#include <memory>

#include "cli/lab.hpp"

namespace CLI {
class App;
}

namespace heist::cli {

class lab_parser {
 public:
  explicit lab_parser(CLI::App& root);
  ~lab_parser();

  [[nodiscard]] bool is_given() const;
  // Throws usage_error.
  [[nodiscard]] lab_request to_request() const;

 private:
  struct texts;  // the values as they were given

  [[nodiscard]] calibrate_request to_calibrate() const;
  [[nodiscard]] forecast_request to_forecast() const;

  CLI::App& app_;
  std::unique_ptr<texts> given_;
};

}  // namespace heist::cli
