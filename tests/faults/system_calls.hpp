// System calls that are refused: one of them, the n-th, by a supervisor that is asked about each (seccomp's user notification,
// Linux 5.5); or one kind of them from now on. Both see what the C library calls by itself, which no wrapper of functions does.
//
// Each is for a child process: a filter can't be taken away.
#pragma once

#include <vector>

#include "tests/faults/apart.hpp"

namespace heist_test::system_calls {

// Starts the supervisor and asks it about every later call of this thread, and of those that it makes. It reports the number of
// what it refuses. False: the kernel doesn't have that.
[[nodiscard]] bool supervise(report& r);

// The n-th from now on is refused, and no other; 0: none.
void refuse_at(long n) noexcept;
// Ends that; true if one was refused.
bool was_refused() noexcept;

// Each of these calls answers with the error from now on: in this thread and in those that it makes, or in all.
[[nodiscard]] bool refuse_always(const std::vector<long>& calls, int error);
[[nodiscard]] bool refuse_everywhere(const std::vector<long>& calls, int error);

}  // namespace heist_test::system_calls
