// What belongs to one trace, and what belongs to one thread that records for it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "observe/span/strand_clock.hpp"
#include "observe/trace/trace_store.hpp"
#include "platform/thread.hpp"
#include "runtime/core/worker.hpp"
#include "trace/log.hpp"

namespace heist::inline v0::detail {

class pool_impl;

struct pool_entry {
  const pool_impl* pool;  // nullptr: it has ended
  std::string statistics;
  std::string name;
};

// Guarded by the lock of tracing.cpp.
struct trace_record {
  // Throws resource_error if the file can't be made.
  trace_record(pool_impl* of, const std::string& file, std::size_t events);

  // The texts about the program and the lanes of workers that are there already. False, with errno:
  // there is no room for them.
  [[nodiscard]] bool begin(const std::deque<std::string>& names);
  // A lane for the calling thread: that of the worker, if it has one. no_lane: no more can be had.
  [[nodiscard]] std::uint32_t lane_for(const worker* w);
  // Both clocks of now.
  void note_time() noexcept;
  // Under the lock. Threads may still add to the chunks that they have.
  void finish();

  unsigned process;  // its generation
  pool_impl* only;
  std::size_t capacity;  // events of each thread, at least
  stamp_rate rate;
  std::uint64_t begin_ns;
  std::vector<trace::lane> lanes;
  std::vector<pool_entry> pools;
  std::string path;  // of the file; empty: in memory
  std::shared_ptr<trace_store> store;
  bool is_full = false;  // the disk is, and nothing is recorded any more
  bool has_warned = false;

 private:
  std::uint32_t number_of(const pool_impl& p);
  [[nodiscard]] std::string name_of(std::uint32_t pool, unsigned worker) const;
  [[nodiscard]] bool add_lane(trace::lane l, std::uint32_t before);
};

// The last of several names that a thread has looked up, so that most need no lock.
struct known_name {
  const char* at = nullptr;
  const std::string* text = nullptr;  // never freed
  std::uint32_t number = 0;
};

// Of one thread, for one trace after the other. Never freed: who is slow to see the end of a trace
// may still write. Under the lock, unless it says otherwise.
class trace_writer {
 public:
  [[nodiscard]] bool has_room() const noexcept { return used_ != room_; }
  // Its thread alone. The event is there before it counts: see trace_store.hpp.
  [[gnu::always_inline]] void add(const trace::packed_event& e) noexcept {
    std::uint64_t* const at = words_ + used_ / sizeof(std::uint64_t);
    __atomic_store_n(at, e.ticks, __ATOMIC_RELAXED);
    __atomic_store_n(at + 1, e.value_bits, __ATOMIC_RELAXED);
    __atomic_store_n(at + 2, e.name_and_kind, __ATOMIC_RELAXED);
    __atomic_store_n(at + 3, e.a_and_b, __ATOMIC_RELAXED);
    used_ += sizeof(e);
    __atomic_store_n(&chunk_->used, used_, __ATOMIC_RELEASE);
  }
  void begin(const trace_record& r, std::uint64_t number, std::uint32_t lane) noexcept;
  // A place for the next chunk. False, with errno: there is no room for more.
  [[nodiscard]] bool take_place(trace_record& r) noexcept;
  // And the memory for it: its thread alone, without the lock if `in` is a file.
  [[nodiscard]] bool open_chunk(const trace_store& in) noexcept;

  std::uint64_t trace_number = 0;  // of the trace that it records for
  std::uint32_t lane = 0;
  pid_t thread = 0;
  stamp_rate rate{};
  std::uint64_t usage_from = 0;  // ticks: when the system is to be asked again
  std::array<known_name, 64> names{};

 private:
  struct place {
    std::uint64_t at;
    std::uint32_t bytes;
  };
  kept_chunk chunk_;
  std::uint64_t* words_ = nullptr;
  std::uint32_t used_ = 0, room_ = 0;  // bytes
  std::uint64_t events_ = 0;           // before this chunk
  std::uint64_t kept_ = 0;             // events for which the chunks have room
  std::deque<place> places_;           // of its chunks, the oldest first
};

}  // namespace heist::inline v0::detail
