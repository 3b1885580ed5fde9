// Where in the program's text a call is.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace heist::inline v0::checker {

// "transfer.cpp:14 in transfer(account&)": the innermost call that is neither heist's nor the
// standard library's; without debug information the function, or the file and the offset in it.
// With `or_theirs` one of theirs if all are. Addresses lie within the calls. Throws std::bad_alloc.
// Not thread-safe.
[[nodiscard]] std::string place_of(std::span<const std::uintptr_t> chain, bool or_theirs = false);

// The name of the global variable or function at that address, or nothing. As above.
[[nodiscard]] std::string symbol_at(std::uintptr_t address);

}  // namespace heist::inline v0::checker
