// All that belongs to one trace but the events, which lie in the threads' rings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "observe/span/strand_clock.hpp"
#include "observe/trace/trace_ring.hpp"
#include "runtime/core/worker.hpp"
#include "trace/log.hpp"

namespace heist::inline v0::detail {

class pool_impl;

struct pool_entry {
  const pool_impl* pool;  // nullptr: it has ended
  std::string statistics;
  std::string name;
  std::vector<worker_state> before;  // what its workers did when the trace began; else empty
};

// Guarded by the lock of tracing.cpp.
struct trace_record {
  unsigned process = 0;  // its generation
  pool_impl* only = nullptr;
  std::size_t capacity = 0;
  stamp_rate rate{};
  std::uint64_t begin_ticks = 0, begin_ns = 0;
  std::vector<trace::lane> lanes;
  std::vector<pool_entry> pools;
  std::uint64_t refused_lanes = 0;
};

// What was recorded, put together, without the names: the events of all rings that recorded for
// trace `number`, by time.
// Changes the record; throws std::bad_alloc.
[[nodiscard]] trace::log log_of(trace_record& r, const std::vector<trace_ring*>& rings,
                                std::uint64_t number);

}  // namespace heist::inline v0::detail
