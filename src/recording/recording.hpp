// A trace that was read from a file: see docs/trace_format.md for the two forms.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "trace/log.hpp"

namespace heist::inline v0::trace {

struct recording : log {
  // An array with an object for each pool, whose counters are named as to_prometheus names them,
  // without "heist_" and "_total"; null if the file has none.
  nlohmann::json statistics;
  // A profile of work and span of the same run (docs/work_and_span.md), if one was given; else
  // null. No trace holds one.
  nlohmann::json profile;
};

// Reads either form, by the file's first bytes. Whatever the file holds, the result is sound:
// kinds, lanes and names are in range, events are in order of time, and values are finite. Throws
// trace_error, resource_error if the file can't be read, and std::bad_alloc. The compact form's
// events stay in the file (log::stored), unless there are few; the JSON form's take 40 bytes of
// memory each, and the text.
[[nodiscard]] recording read_recording(const std::string& path);

// The same of bytes in memory, for tests; `name` stands in messages.
[[nodiscard]] recording parse_recording(std::string_view bytes, const std::string& name);

// What happened from `from_ns` to `to_ns` since the trace began. Times are since `from_ns`; what
// lanes did at that moment is there as events of time 0. The pools' statistics are still those of
// all.
[[nodiscard]] recording part_of(recording whole, std::uint64_t from_ns, std::uint64_t to_ns);

}  // namespace heist::inline v0::trace
