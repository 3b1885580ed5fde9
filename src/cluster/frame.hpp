// A message as bytes, for transports that carry bytes.
#pragma once

#include <span>

#include "cluster/message.hpp"

namespace heist::inline v0::cluster {

// Of the header, without the payload.
inline constexpr std::size_t frame_header_bytes = 40;
// A message cannot be larger, payload and all.
inline constexpr std::uint64_t most_frame_bytes = std::uint64_t{1} << 31;

[[nodiscard]] bytes to_frame(const message& what);

// Throws wire_error, which says what is wrong, for anything that to_frame() does not make.
[[nodiscard]] message from_frame(std::span<const std::byte> frame);

}  // namespace heist::inline v0::cluster
