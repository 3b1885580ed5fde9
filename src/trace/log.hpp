// What a trace holds once it has been recorded: the events of all threads, in order of time.
//
// A lane is a thread: a worker of a pool, or any other thread that had something to record. A
// thread outside a pool that works there for a while (caller_kind::work) keeps its one lane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

namespace heist::inline v0::trace {

// In brackets what the fields of an event hold; those that aren't named are 0.
enum class event_kind : std::uint8_t {
  expose,     // an owner made jobs public [a: jobs in its deque]
  steal,      // [a: lane of the victim, or no_lane; b: jobs in its deque, the stolen one
              // included; value: nanoseconds that the attempt took]
  job_begin,  // a job begins [a: a job_source; name: region]
  job_end,    // it has ended, here or, if it was suspended, elsewhere; a job whose end lets a fiber
              // go on is followed by that resume at once, and has none
  suspend,    // the fiber waits [a: number of the wait]
  resume,     // and goes on [a: number of the wait; b: lane where it began; name: region]
  idle_begin,   // the worker has looked for work and found none
  idle_end,     // it has found some [a: an idle_why]
  park,         // the worker sleeps [a: 1 for a nap, which ends by itself]
  wake,         // [a: lane of the waker, or no_lane; value: nanoseconds since the call, or 0]
  block_begin,  // a call of heist::blocking begins, on a thread of its own
  block_end,
  region_begin,  // [name; b: the region around it]
  region_end,    // [name; b: the region around it, which goes on]
  counter,       // [name; value]
  leave,         // the worker's thread ends, with its pool
};
inline constexpr unsigned event_kinds = 16;

enum class job_source : std::uint8_t { stolen, root, other };

// As heist::idle_reason, in that order.
enum class idle_why : std::uint8_t { no_work, private_work, serial_phase, blocked };

inline constexpr std::uint32_t no_lane = 0xffffffff;

// How many events the ring of each thread holds.
inline constexpr std::size_t default_events = std::size_t{1} << 16;
inline constexpr std::size_t least_events = std::size_t{1} << 10;
inline constexpr std::size_t most_events = std::size_t{1} << 24;

struct event {
  std::uint64_t time_ns = 0;  // since the trace began
  std::uint32_t lane = 0;
  event_kind kind = event_kind::expose;
  std::uint32_t name = 0;  // index into names
  std::uint32_t a = 0, b = 0;
  double value = 0;
};

struct lane {
  std::string name;
  std::uint32_t pool = 0, worker = 0;  // 0 for a thread that is no worker
  bool is_worker = false;
  std::uint64_t lost_events = 0;  // the oldest ones, for which its ring had no room
};

struct log {
  std::string program, machine, version;
  unsigned processors = 0;
  std::uint64_t duration_ns = 0;
  std::string clock;  // "tsc", "cntvct" or "clock_gettime"
  std::vector<lane> lanes;
  std::vector<std::string> names{""};  // of regions and counters; the first one is that of none
  std::vector<event> events;           // by time
  std::string statistics_json;         // an array with an object for each pool, or empty
};

// Names for files and pages.
inline constexpr const char* event_names[] = {
    "expose",       "steal",      "job_begin", "job_end", "suspend",     "resume",
    "idle_begin",   "idle_end",   "park",      "wake",    "block_begin", "block_end",
    "region_begin", "region_end", "counter",   "leave"};
static_assert(std::size(event_names) == event_kinds);
inline constexpr const char* idle_names[] = {"no_work", "private_work", "serial_phase", "blocked"};

}  // namespace heist::inline v0::trace
