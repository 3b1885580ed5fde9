// The arguments of `heist run`.
#pragma once

#include <memory>
#include <string>

#include "cli/commands.hpp"

namespace CLI {
class App;
}

namespace heist::cli {

class run_parser {
 public:
  explicit run_parser(CLI::App& root);
  ~run_parser();

  [[nodiscard]] bool is_given() const;
  // Throws usage_error.
  [[nodiscard]] run_request to_request() const;

 private:
  class arguments;

  std::unique_ptr<arguments> given_;
};

}  // namespace heist::cli
