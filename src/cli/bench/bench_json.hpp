// The benchmarks and the suites as JSON for programs, one object a line. Released keys don't
// change.
#pragma once

#include <string>

#include "bench/benchmark.hpp"
#include "bench/suite/suites.hpp"

namespace heist::cli {

[[nodiscard]] std::string to_json(const bench::benchmark& benchmark);
[[nodiscard]] std::string to_json(const bench::suite& suite);

}  // namespace heist::cli
