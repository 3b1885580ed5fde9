// How many boards of n queens there are.
#pragma once

#include <array>
#include <cstdint>

namespace heist::workloads {

// https://oeis.org/A000170, from n = 0.
inline constexpr std::array<std::uint64_t, 21> known_boards = {
    1,    1,     0,     0,      2,       10,       4,        40,        92,         352,        724,
    2680, 14200, 73712, 365596, 2279184, 14772512, 95815104, 666090624, 4968057848, 39029188884};

}  // namespace heist::workloads
