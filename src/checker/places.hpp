// Where in the program's text a call is.
#pragma once

#include <string>

#include "checker/flow.hpp"

namespace heist::inline v0::checker {

// "transfer.cpp:14 in transfer(account&)": the innermost call that is neither heist's nor the
// standard library's; without debug information the function, or the file and the offset in it.
// Throws std::bad_alloc. Not thread-safe.
[[nodiscard]] std::string place_of(const call_chain& chain);

}  // namespace heist::inline v0::checker
