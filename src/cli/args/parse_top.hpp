// The arguments of `heist top`.
#pragma once

#include <memory>

#include "cli/top.hpp"

namespace CLI {
class App;
}

namespace heist::cli {

class top_parser {
 public:
  explicit top_parser(CLI::App& root);
  ~top_parser();

  [[nodiscard]] bool is_given() const;
  // Throws usage_error.
  [[nodiscard]] top_request to_request() const;

 private:
  struct texts;  // the values as they were given

  CLI::App& app_;
  std::unique_ptr<texts> given_;
};

}  // namespace heist::cli
