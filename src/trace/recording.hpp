// What a program that was traced did: the events of all its threads in one order, as read from a
// file, without the runtime that recorded them. A plain value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace heist::inline v0::trace {

// What `a`, `b` and `value` of an event are is said with each kind; they are 0 where nothing is.
enum class event_kind : std::uint8_t {
  expose,     // a: jobs that the deque held once some were exposed
  steal,      // a: lane of the victim; b: jobs seen in its deque; value: ns since the search began
  job_begin,  // a: 0 stolen, 1 root, 2 other top-level work; name: its region, or 0
  job_end,
  suspend,     // a: number of the fiber
  resume,      // a: number of the fiber; b: lane on which it was suspended
  idle_begin,  // the worker has found nothing
  idle_end,    // a: idle_reason of that spell
  park,
  wake,  // a: lane of the waker, or no_lane; value: ns since the call that woke it, 0 unknown
  block_begin,  // heist::blocking
  block_end,
  region_begin,  // name
  region_end,    // name
  counter,       // name; value
};
inline constexpr unsigned event_kinds = 15;

inline constexpr std::uint32_t no_lane = 0xffffffff;

// Why a worker had nothing to do.
enum class idle_reason : std::uint8_t { nothing_anywhere, work_is_private, serial_phase, blocked };

struct event {
  std::uint64_t time_ns = 0;  // since the recording began
  std::uint32_t lane = 0;     // an index of recording::lanes
  event_kind kind = event_kind::expose;
  std::uint32_t name = 0;  // an index of recording::names
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  double value = 0;
};

// A worker, or a thread that isn't one.
struct lane {
  std::string name;
  std::uint32_t pool = 0;
  std::uint32_t worker = 0;
  bool is_worker = true;
  std::uint64_t lost_events = 0;  // overwritten, since its ring was full
};

struct recording {
  std::string program;
  std::string machine;
  std::string version;  // of heist
  unsigned processors = 0;
  std::uint64_t duration_ns = 0;
  std::string clock;
  std::vector<lane> lanes;
  std::vector<std::string> names = {""};
  std::vector<event> events;  // by time
  nlohmann::json statistics;  // pool_stats at the end, or null
  nlohmann::json profile;     // work and span, where they were measured, or null
};

}  // namespace heist::inline v0::trace
