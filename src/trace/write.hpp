// The two forms of a trace's file, as docs/trace_format.md describes them.
#pragma once

#include <string_view>

#include "trace/log.hpp"

namespace heist::inline v0::trace {

// Takes the file's bytes, piece by piece.
class sink {
 public:
  virtual void write(std::string_view bytes) = 0;

 protected:
  ~sink() = default;
};

inline constexpr std::string_view binary_magic = "heisttrc";
inline constexpr std::uint32_t binary_version = 1;
inline constexpr std::size_t binary_head_bytes = 32;
inline constexpr std::size_t binary_event_bytes = 32;

// Chrome's JSON, which Perfetto's viewer reads too. Throws what the sink throws, and
// std::bad_alloc. About 130 bytes an event.
void write_chrome_json(const log& recorded, sink& to);
// The compact form: 32 bytes an event.
void write_binary(const log& recorded, sink& to);

}  // namespace heist::inline v0::trace
