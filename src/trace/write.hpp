// The two forms of a trace's file, as docs/trace_format.md describes them.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "trace/log.hpp"
#include "trace/stored.hpp"

namespace heist::inline v0::trace {

// Takes the file's bytes, piece by piece.
class sink {
 public:
  virtual void write(std::string_view bytes) = 0;

 protected:
  ~sink() = default;
};

// About how many bytes the JSON form has for an event.
inline constexpr std::uint64_t json_event_bytes = 200;
// A file that gets larger than this is announced.
inline constexpr std::uint64_t surprising_bytes = 200'000'000;

// Chrome's JSON, which Perfetto's viewer reads too. Throws what the sink throws, and
// std::bad_alloc. Reads the events three times, and holds few of them.
void write_chrome_json(const log& recorded, sink& to);
// The compact form: 32 bytes an event.
void write_binary(const log& recorded, sink& to);

// Texts of the compact form (stored.hpp), for those who write it piece by piece: those about the
// program and the machine, and what stands before a lane's name, another name, and the statistics.
void each_text_about(const log& recorded,
                     const std::function<void(text_head, std::string_view)>& see);
[[nodiscard]] text_head head_of(const lane& l, std::uint32_t number, std::uint32_t before);
[[nodiscard]] text_head head_of_name(std::uint32_t number);
[[nodiscard]] text_head head_of_statistics();

}  // namespace heist::inline v0::trace
