// The priorities of submitted functions.
#pragma once

#include <cstdint>

#include "heist/detail/requirements.hpp"

namespace heist::inline v0 {

// Which of the functions that wait at the entry of a pool gets a worker first: see heist::submit in
// <heist/future.hpp>.
enum class priority : std::uint8_t { high, normal, low };

}  // namespace heist::inline v0
