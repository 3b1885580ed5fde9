// What the program allows: global_control.
#pragma once

#include <cstddef>

#include "parts/abi.hpp"

namespace heist::inline v0::libtbb {

// How many threads may run tasks at a time, the caller among them; at least 1. The least of the
// controls that are in force, or the usual number.
[[nodiscard]] std::size_t allowed_parallelism() noexcept;
// Bytes of the stacks on which workers run tasks.
[[nodiscard]] std::size_t worker_stack_bytes() noexcept;
// An exception in a task ends the program.
[[nodiscard]] bool exceptions_terminate() noexcept;

// Throws std::bad_alloc.
void put_in_force(const d1::global_control& c);
void take_out_of_force(const d1::global_control& c) noexcept;
// How many threads are allowed while no control says it: the default pool's workers.
void set_usual_parallelism(std::size_t threads) noexcept;
[[nodiscard]] std::size_t usual_parallelism() noexcept;

}  // namespace heist::inline v0::libtbb
