// A trace as its file holds it while it grows (docs/trace_format.md): a head, then chunks, of which
// each holds events of one lane, or texts. One that records writes an event first and then counts
// it in its chunk, so that whatever is counted can be read, whenever the process ends.
//
// All of it as it lies in memory: little-endian.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "trace/log.hpp"

namespace heist::inline v0::trace {

static_assert(std::endian::native == std::endian::little);

inline constexpr std::string_view stored_magic = "heisttrc";
inline constexpr std::uint32_t stored_version = 2;
inline constexpr std::size_t head_bytes = 4096;
inline constexpr std::size_t least_chunk = 4096, most_chunk = std::size_t{1} << 18U;

struct stored_head {
  char magic[8];
  std::uint32_t version;
  std::uint32_t end;          // an ending
  std::uint64_t used;         // bytes of the file, this one included
  std::uint64_t begin_ticks;  // of the clock that counts the events' times
  // A moment of the trace in both clocks, the last one for which both are known.
  std::uint64_t latest_ticks, latest_ns;
  double ns_per_tick;  // as measured before; the moment above tells better, if it is late enough
};

enum class chunk_kind : std::uint32_t { events = 1, texts = 2 };

struct chunk_head {
  std::uint32_t kind;
  std::uint32_t bytes;  // with this head; a multiple of 8
  std::uint32_t lane;   // of events
  std::uint32_t used;   // bytes behind the head
  std::uint64_t first;  // how many events the lane had before
};

struct packed_event {
  std::uint64_t ticks, value_bits, name_and_kind, a_and_b;
};
static_assert(sizeof(chunk_head) == 24 && sizeof(packed_event) == 32);
// The events of a chunk begin where a text would, too.
inline constexpr std::size_t chunk_room(std::size_t bytes) { return bytes - sizeof(chunk_head); }

inline constexpr packed_event pack(std::uint64_t ticks, event_kind kind, std::uint32_t name,
                                   std::uint32_t a, std::uint32_t b, double value) {
  return {ticks, std::bit_cast<std::uint64_t>(value),
          std::uint64_t{name} << 32U | static_cast<std::uint64_t>(kind),
          std::uint64_t{a} << 32U | b};
}

enum class text_kind : std::uint32_t {
  program = 1,
  machine,
  version,
  clock,
  processors,  // [index: how many]
  lane,        // [index: its number; is_worker, pool, worker, before], its name
  name,        // [index: its number]
  statistics,
};

// What a worker did when the trace began, as a lane_state; or this.
inline constexpr std::uint32_t nothing_before = 0xffffffff;

struct text_head {
  std::uint32_t kind = 0;
  std::uint32_t bytes = 0;  // of the text, which is followed by zeros up to a multiple of 8
  std::uint32_t index = 0;
  std::uint32_t is_worker = 0, pool = 0, worker = 0, before = nothing_before, reserved = 0;
};
static_assert(sizeof(text_head) == 32);
inline constexpr std::size_t padded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

// Where the bytes of a trace are.
class byte_source {
 public:
  virtual ~byte_source() = default;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  // Throws trace_error or resource_error if they aren't there.
  virtual void read(std::uint64_t at, void* to, std::size_t bytes) const = 0;
};

// The trace, with its events in `stored`, which keeps the source. Whatever the bytes are, the
// result is sound: kinds, lanes and names are in range, values finite, times in order and within
// the duration. `name` stands in messages. Reads all bytes once. Throws trace_error, what the
// source throws, and std::bad_alloc. Memory: 24 bytes for each chunk, and the names and lanes.
[[nodiscard]] log read_stored(std::shared_ptr<const byte_source> from, const std::string& name);

}  // namespace heist::inline v0::trace
