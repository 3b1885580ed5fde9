// The arguments of `heist theory granularity`.
#pragma once

#include <string>
#include <vector>

#include "cli/args/arguments.hpp"
#include "cli/theory/theory.hpp"

namespace heist::cli {

// The options as they were given.
struct granularity_texts {
  std::string processors = "16", work = "10000000", tasks = "1..128", costs = "exponential";
  std::string queue_cost = "400", queue = "exclusive";
  std::string scheduler = "static,interleaved,guided,fifo,longest-first,work-stealing";
  std::string hint = "exact", seeds = "10", seed = "1", curve = "time";
};

struct granularity_option {
  const char* name;
  std::string granularity_texts::*text;
  const char* help;
};

[[nodiscard]] const std::vector<granularity_option>& granularity_options();
[[nodiscard]] std::string granularity_help();  // the names that options take

// Throws usage_error. The caller sets the form and the files.
[[nodiscard]] granularity_request to_request(const arguments& own, const granularity_texts& given);

}  // namespace heist::cli
