// What the program allows: global_control.
#pragma once

#include <cstddef>

namespace heist::inline v0::libtbb {

// How many threads may run tasks at a time, the caller among them; at least 1. The least of the
// controls that are in force, or the default pool's workers.
[[nodiscard]] std::size_t allowed_parallelism() noexcept;
// Bytes of the stacks on which workers run tasks.
[[nodiscard]] std::size_t worker_stack_bytes() noexcept;
// An exception in a task ends the program.
[[nodiscard]] bool exceptions_terminate() noexcept;

}  // namespace heist::inline v0::libtbb
