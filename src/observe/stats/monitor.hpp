#pragma once

#include <sys/types.h>

#include <vector>

namespace heist::inline v0::detail {

// Shows this process's pools to `heist top` if HEIST_MONITOR says so (monitor_layout.hpp): makes
// the file and starts a thread, once for each process. The file goes when the process ends. Throws
// usage_error for the variable, resource_error where the system refuses the file or the thread.
void publish_for_monitors();

// The processes whose files are there and which the caller may read, in the order of their numbers.
// Files of the caller's that a process has left that was killed are removed. Throws std::bad_alloc.
[[nodiscard]] std::vector<pid_t> published_processes();

}  // namespace heist::inline v0::detail
