// The arguments of `heist sim`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"

namespace CLI {
class App;
}

namespace heist::cli {

class sim_parser {
 public:
  explicit sim_parser(CLI::App& root);
  ~sim_parser();

  [[nodiscard]] bool is_given() const;
  // `command` is the whole command line. Throws usage_error.
  [[nodiscard]] sim_request to_request(const std::string& command) const;

 private:
  struct texts;  // the values as they were given

  CLI::App& app_;
  std::unique_ptr<texts> given_;
};

// "1..1024" (doubling), "1,2,12", or both.
[[nodiscard]] std::vector<std::uint32_t> parse_processors(const std::string& text);

}  // namespace heist::cli
