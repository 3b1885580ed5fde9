// How much of the heap is in use, by the allocator's own count.
#pragma once

#include <cstddef>
#include <optional>

namespace heist::bench {

// Bytes handed out and not given back, the allocator's own heads included. Nothing where the C library can't
// tell.
[[nodiscard]] std::optional<std::size_t> heap_bytes();

}  // namespace heist::bench
