// What a trace holds once it has been recorded: the events of all threads, in order of time.
//
// A lane is a thread: a worker of a pool, or any other thread that had something to record. A
// thread outside a pool that works there for a while (caller_kind::work) keeps its one lane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <stdexcept>
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
  suspend,    // the fiber waits [a: number of the wait; b: for what, an index into awaited_names;
              // value: where that lies in memory, or 0]
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
  usage,         // of the thread until now [value: nanoseconds on a processor; a, b: the high and
                 // the low half of the nanoseconds for which it could have run and had none, or
                 // both no_lane if the system doesn't tell]
};
inline constexpr unsigned event_kinds = 17;

enum class job_source : std::uint8_t { stolen, root, other };

// As heist::idle_reason, in that order.
enum class idle_why : std::uint8_t { no_work, private_work, serial_phase, blocked };

inline constexpr std::uint32_t no_lane = 0xffffffff;

// How many events of each thread are kept at least: in memory, unless something else is asked for.
// And the bounds of that.
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
  std::uint64_t lost_events = 0;  // the oldest ones, for which there was no room
};

// How a recording ended.
enum class ending : std::uint32_t {
  none,      // it hasn't: the program was ended in the middle, or runs still
  complete,  // as was wanted
  no_space,  // there was no room for more, and the program went on without it
};

inline constexpr const char* ending_names[] = {"none", "complete", "no_space"};

// More events than one wants to hold in memory: they are read anew each time.
class event_list {
 public:
  virtual ~event_list() = default;
  // Calls see(e) for each, by time. Throws what see throws, and trace_error.
  virtual void each(const std::function<void(const event&)>& see) const = 0;
  [[nodiscard]] virtual std::uint64_t count() const = 0;
};

struct log {
  std::string program, machine, version;
  unsigned processors = 0;
  std::uint64_t duration_ns = 0;
  std::string clock;  // "tsc", "cntvct" or "clock_gettime"
  std::vector<lane> lanes;
  std::vector<std::string> names{""};  // of regions and counters; the first one is that of none
  std::vector<event> events;           // by time, unless `stored` has them
  std::shared_ptr<const event_list> stored;
  std::string statistics_json;  // an array with an object for each pool, or empty
  ending end = ending::complete;

  template <class See>
  void each_event(See see) const {
    if (stored != nullptr) return stored->each([&see](const event& e) { see(e); });
    for (const event& e : events) see(e);
  }
  [[nodiscard]] std::uint64_t event_count() const {
    return stored != nullptr ? stored->count() : events.size();
  }
};

// A file that isn't a trace: the message names it, and says in one line what is wrong.
class trace_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Names for files and pages.
inline constexpr const char* event_names[] = {
    "expose",       "steal",      "job_begin", "job_end", "suspend",     "resume",
    "idle_begin",   "idle_end",   "park",      "wake",    "block_begin", "block_end",
    "region_begin", "region_end", "counter",   "leave",   "usage"};
static_assert(std::size(event_names) == event_kinds);
// As wait_kind.
inline constexpr const char* awaited_names[] = {"nothing",
                                                "something",
                                                "join",
                                                "scope",
                                                "call",
                                                "blocking call",
                                                "mutex",
                                                "shared mutex, to write",
                                                "shared mutex, to read",
                                                "future",
                                                "channel, to send",
                                                "channel, to receive",
                                                "latch",
                                                "semaphore",
                                                "barrier",
                                                "condition variable",
                                                "task group"};
inline constexpr const char* idle_names[] = {"no_work", "private_work", "serial_phase", "blocked"};

}  // namespace heist::inline v0::trace
