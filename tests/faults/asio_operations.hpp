#pragma once

#include <vector>

#include "tests/unit/api/constructs.hpp"

namespace heist_test {

// Those of <heist/asio.hpp>; none where there is no asio.
[[nodiscard]] std::vector<construct> asio_operations();

// asio 1.22 dies of it: of a half-made strand in its destructor, and of what a handler's end throws in a thread of asio's own.
[[nodiscard]] bool asio_needs_memory(const construct& c);
// It doesn't look whether epoll_ctl() worked, and then waits for what was not added.
[[nodiscard]] bool asio_needs_epoll(const construct& c);

}  // namespace heist_test
