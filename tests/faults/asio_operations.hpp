#pragma once

#include <vector>

#include "tests/unit/api/constructs.hpp"

namespace heist_test {

// Those of <heist/asio.hpp>; none where there is no asio.
[[nodiscard]] std::vector<construct> asio_operations();

}  // namespace heist_test
