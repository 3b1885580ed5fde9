#include "cluster/frame.hpp"

#include <string>

namespace heist::inline v0::cluster {

namespace {

// "hst" and the version of the protocol, which changes with each change of messages or their
// meaning. A processor of the other byte order reads the number backwards and refuses it.
constexpr std::uint32_t magic = 0x68737401;

bool has_payload(message_kind kind) {
  using enum message_kind;
  return kind == loot || kind == gift || kind == result || kind == part || kind == late ||
         kind == stop;
}

}  // namespace

bytes to_frame(const message& what) {
  bytes frame;
  frame.reserve(frame_header_bytes + what.payload.size());
  wire_writer(frame)
      .put(magic)
      .put(static_cast<std::uint32_t>(what.kind))
      .put(what.epoch)
      .put(static_cast<std::uint32_t>(what.payload.size()))
      .put(what.number)
      .put(what.sent)
      .put(what.received)
      .put_bytes(what.payload.data(), what.payload.size());
  return frame;
}

message from_frame(std::span<const std::byte> frame) {
  wire_reader from(frame);
  if (const auto found = from.get<std::uint32_t>(); found != magic)
    throw wire_error("a message does not begin like one of this version of heist");
  const auto kind = from.get<std::uint32_t>();
  if (kind > static_cast<std::uint32_t>(last_message_kind))
    throw wire_error("there is no kind " + std::to_string(kind) + " of message");
  message result;
  result.kind = static_cast<message_kind>(kind);
  result.epoch = from.get<std::uint32_t>();
  const auto size = from.get<std::uint32_t>();
  result.number = from.get<std::uint64_t>();
  result.sent = from.get<std::uint64_t>();
  result.received = from.get<std::uint64_t>();
  if (size != 0 && !has_payload(result.kind))
    throw wire_error("a message of kind " + std::to_string(kind) + " has a payload");
  const auto payload = from.take(size);
  from.finish();
  result.payload.assign(payload.begin(), payload.end());
  return result;
}

}  // namespace heist::inline v0::cluster
