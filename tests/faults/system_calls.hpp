// Refuses system calls: either the n-th one, by a supervisor that is asked about each call
// (seccomp's user notification, Linux 5.5), or all calls of one kind from now on. Both also catch
// calls that the C library makes itself, which wrapper functions cannot.
//
// Use each in a child process, because a filter cannot be removed.
#pragma once

#include <vector>

#include "tests/faults/apart.hpp"

namespace heist_test::system_calls {

// Starts the supervisor, which is asked about every later call of this thread and of threads that
// it makes, and which reports the number of a call that it refuses. Returns false if the kernel
// does not support this.
[[nodiscard]] bool supervise(report& r);

// Refuses the n-th call from now on, and no other; 0 refuses none.
void refuse_at(long n) noexcept;
// Ends the refusals; returns true if a call was refused.
bool was_refused() noexcept;

// Each of these calls fails with the error from now on, in this thread and in threads that it
// makes, or in all threads.
[[nodiscard]] bool refuse_always(const std::vector<long>& calls, int error);
[[nodiscard]] bool refuse_everywhere(const std::vector<long>& calls, int error);

}  // namespace heist_test::system_calls
