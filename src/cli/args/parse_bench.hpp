// The arguments of `heist bench`.
#pragma once

#include <memory>
#include <string>

#include "cli/commands.hpp"

namespace CLI {
class App;
}

namespace heist::cli {

class bench_parser {
 public:
  explicit bench_parser(CLI::App& root);
  ~bench_parser();

  [[nodiscard]] bool is_given() const;
  // Throws usage_error. `command` is the whole command line.
  [[nodiscard]] any_request to_request(const std::string& command) const;

 private:
  class arguments;

  std::unique_ptr<arguments> given_;
};

}  // namespace heist::cli
