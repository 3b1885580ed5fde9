// The numbers by which the lab names the threads and the instructions of a computation.
#pragma once

#include <cstdint>

namespace heist::lab {

using thread_id = std::uint32_t;
using node_id = std::uint32_t;  // of an instruction
inline constexpr std::uint32_t no_id = UINT32_MAX;

}  // namespace heist::lab
