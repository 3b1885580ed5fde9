#pragma once

#include <vector>

#include "tests/unit/api/constructs.hpp"

namespace heist_test {

// The operations of <heist/asio.hpp>; none if there is no asio.
[[nodiscard]] std::vector<construct> asio_operations();

// The operations in which a refusal kills asio 1.22: it dies in the destructor of a half-made
// strand, and of an exception that a handler's end throws in a thread of asio.
[[nodiscard]] bool asio_needs_memory(const construct& c);
// The operations in which asio does not check whether epoll_ctl() worked, and then waits for a
// descriptor that was not added.
[[nodiscard]] bool asio_needs_epoll(const construct& c);

}  // namespace heist_test
