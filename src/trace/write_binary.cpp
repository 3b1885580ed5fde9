#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <string>

#include "trace/head_object.hpp"
#include "trace/write.hpp"

namespace heist::inline v0::trace {

namespace {

// Little-endian, on every machine.
template <class T>
char* put(char* at, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) *at++ = static_cast<char>(value >> (8 * i) & 0xFFU);
  return at;
}

std::array<char, binary_event_bytes> bytes_of(const event& e) {
  std::array<char, binary_event_bytes> bytes{};
  char* at = put(bytes.data(), e.time_ns);
  at = put(at, std::bit_cast<std::uint64_t>(e.value));
  at = put(at, e.lane << 8U | static_cast<std::uint32_t>(e.kind));
  at = put(at, e.name);
  at = put(at, e.a);
  put(at, e.b);
  return bytes;
}

}  // namespace

void write_binary(const log& recorded, sink& to) {
  const std::string text = head_object(recorded);
  std::array<char, binary_head_bytes> head{};
  char* at = std::copy(binary_magic.begin(), binary_magic.end(), head.data());
  at = put(at, binary_version);
  at = put(at, static_cast<std::uint32_t>(text.size()));
  at = put(at, std::uint64_t{recorded.events.size()});
  put(at, recorded.duration_ns);
  to.write({head.data(), head.size()});
  to.write(text);
  for (const event& e : recorded.events) {
    const auto bytes = bytes_of(e);
    to.write({bytes.data(), bytes.size()});
  }
}

}  // namespace heist::inline v0::trace
