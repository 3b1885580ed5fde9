// The arguments of `heist bench`.
#pragma once

#include "cli/bench/requests.hpp"
#include "cli/program.hpp"

namespace heist::cli {

[[nodiscard]] reader<any_bench_request> add_bench(arguments& own);

}  // namespace heist::cli
