// Records a trace: events of the slow paths, into a ring of each thread.
//
// One trace is recorded at a time, of the whole process or of one pool. While none is, each place
// that records costs a load and a branch, all of them off the fast path.
//
// A ring belongs to its thread, which alone writes it, and keeps the newest events. The one that
// stops the trace copies it while its thread may still be writing, as a reader of a sequence lock
// does: an event that may have been overwritten meanwhile is left out, and counts as lost. The
// argument:
//
//   T1  The writer announces event n (begun_ = n + 1), then a release fence, then writes its words,
//       then publishes it (done_ = n + 1, release).
//   T2  The reader takes done_ (acquire), copies the words of the last `capacity` events, then an
//       acquire fence, then reads begun_. If it has read a word that the writer of event m wrote,
//       the fences order that after begun_ = m + 1. Event m lies where event m - capacity lay, so
//       every event below begun_ - capacity is dropped, and no other one is torn.
//
// Rings are never freed: a thread that was slow to see the end of a trace may still write. A thread
// uses its ring again for the next trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/notes.hpp"
#include "trace/log.hpp"

namespace heist::inline v0::detail {

struct fiber;
struct root;
struct worker;
class pool_impl;

class tracing {
 public:
  // Begins a trace, of one pool or (nullptr) of all; `events`: how many each ring holds, rounded up
  // to a power of two. Throws usage_error if one is being recorded.
  static void start(pool_impl* only, std::size_t events);
  // Ends the trace, of that pool or (nullptr) any. Throws usage_error if there is none.
  static trace::log stop(const pool_impl* only);

  // All that follows is to be called only if notes::is_traced().
  [[gnu::cold]] static void note(trace::event_kind kind, std::uint32_t a = 0, std::uint32_t b = 0,
                                 double value = 0, std::uint32_t name = 0) noexcept;
  // Returns the region around it.
  [[gnu::cold]] static std::uint32_t begin_region(const char* name) noexcept;
  [[gnu::cold]] static void end_region(std::uint32_t around) noexcept;
  [[gnu::cold]] static void count(const char* name, double value) noexcept;
  [[gnu::cold]] static void stolen(worker& thief, worker& victim, double ns,
                                   std::uint32_t depth) noexcept;
  [[gnu::cold]] static void begin_job(worker& w) noexcept;
  [[gnu::cold]] static void begin_root(worker& w, const root& r) noexcept;
  [[gnu::cold]] static void end_job(worker& w) noexcept;
  [[gnu::cold]] static void suspend(fiber& f) noexcept;
  [[gnu::cold]] static void resume(worker& w, fiber& f) noexcept;
  // Every time that a worker has found nothing; the first time in a spell is recorded.
  [[gnu::cold]] static void note_idle(worker& w, bool look_again) noexcept;
  [[gnu::cold]] static void end_idle(worker& w) noexcept;
  // By a waker, and by whom it has woken.
  [[gnu::cold]] static void begin_wake(pool_impl& p) noexcept;
  [[gnu::cold]] static void woken(pool_impl& p) noexcept;
  // The region that the one that calls this is in.
  [[nodiscard]] static std::uint32_t region_here() noexcept;

  // A pool is about to end: keeps its statistics.
  [[gnu::cold]] static void pool_ends(const pool_impl& p) noexcept;
};

// Begins a trace if HEIST_TRACE asks for one; it is written at the exit. Throws usage_error for a
// bad value.
void trace_from_environment();
// Throws resource_error if the file can't be written, usage_error if its name says no format.
void write_trace(const trace::log& recorded, const std::string& path);
// Throws usage_error, naming `what`, unless the name ends in .json or .htrace.
void check_trace_name(const std::string& what, const std::string& path);

}  // namespace heist::inline v0::detail
