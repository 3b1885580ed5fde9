// The subjects of the refusals: every public operation, and every way to make a pool.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "heist/config.hpp"
#include "tests/unit/api/constructs.hpp"

namespace heist_test {

// All constructs of tests/unit/api, and in addition waits, time limits and other libraries'
// executors. Each is called on a worker, and aborts if its result is wrong.
[[nodiscard]] const std::vector<construct>& all_operations();

// Whether the operation uses a pool that outlives it.
[[nodiscard]] bool keeps_a_pool(const construct& c);

struct pool_start {
  std::string name;
  heist::pool_config config;
};
inline void PrintTo(const pool_start& start, std::ostream* out) { *out << start.name; }
[[nodiscard]] const std::vector<pool_start>& all_pool_starts();

}  // namespace heist_test
