// The amount of heap in use, as the allocator itself counts it.
#pragma once

#include <cstddef>
#include <optional>

namespace heist::bench {

// The bytes allocated and not freed, including the allocator's own headers. Nothing if the C
// library cannot tell.
[[nodiscard]] std::optional<std::size_t> heap_bytes();

}  // namespace heist::bench
