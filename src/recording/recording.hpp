// A trace that was read from a file: see docs/trace_format.md for the two forms.
#pragma once

#include <stdexcept>
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

// A file that isn't a trace: the message names it, and says in one line what is wrong.
class trace_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Reads either form, by the file's first bytes. Whatever the file holds, the result is sound:
// kinds, lanes and names are in range, events are in order of time, and values are finite. Throws
// trace_error, resource_error if the file can't be read, and std::bad_alloc. Takes 40 bytes of
// memory for an event: the JSON form is read as a stream.
[[nodiscard]] recording read_recording(const std::string& path);

// The same of bytes in memory, for tests; `name` stands in messages.
[[nodiscard]] recording parse_recording(std::string_view bytes, const std::string& name);

}  // namespace heist::inline v0::trace
