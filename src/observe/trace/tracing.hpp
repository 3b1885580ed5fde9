// Records a trace: events of the slow paths, into chunks of each thread (trace_store.hpp).
//
// One trace is recorded at a time, of the whole process or of one pool. While none is, each place
// that records costs a load and a branch, all of them off the fast path.
//
// A thread alone adds to its chunk, and counts an event when it is there; the one that reads takes
// those that count. So a trace can be stopped, and a process be killed, at any moment. A chunk that
// is full is followed by another, or by the thread's oldest one, under the lock, which the one that
// stops the trace holds. Writers are never freed: a thread that was slow to see the end of a trace
// may still write, into the chunk that it keeps. It uses its writer again for the next trace.
//
// Each thread asks the system from time to time how long it had a processor, and how long it could
// have run without one: what a busy machine takes is not the program's fault.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "runtime/notes.hpp"
#include "trace/log.hpp"

namespace heist::inline v0::detail {

struct fiber;
struct root;
struct worker;
class pool_impl;

class trace_store;

struct stopped_trace {
  std::shared_ptr<trace_store> store;
  std::string path;  // for which it was begun, or empty
};

class tracing {
 public:
  // Begins a trace, of one pool or (nullptr) of all; `events`: how many of each thread are kept at
  // least, the newest ones. With a path they go to a file from the beginning, whose name is that
  // path with an ending. Throws usage_error if a trace is being recorded, resource_error if the
  // file can't be made.
  static void start(pool_impl* only, std::size_t events, const std::string& path);
  // Ends the trace, of that pool or (nullptr) any. Throws usage_error if there is none.
  static stopped_trace stop(const pool_impl* only);

  // In a child of fork(): nothing of the parent's trace is in its memory.
  [[gnu::cold]] static void leave_trace_of_parent() noexcept;

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
  [[gnu::cold]] static void suspend(fiber& f, awaited what) noexcept;
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
// Throws resource_error if the file can't be written: then the events of an unfinished file stay
// there, and the message names it.
void write_trace(const stopped_trace& recorded, const std::string& path);
// Throws usage_error, naming `what`, unless the name ends in .json or .htrace.
void check_trace_name(const std::string& what, const std::string& path);

}  // namespace heist::inline v0::detail
