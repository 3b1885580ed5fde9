// What the schedulers of the lab run: threads made of instructions, which appear as they are
// spawned.
//
// A *thread system* holds the living threads and says what becomes of one when its next instruction
// is executed. There are two: explicit_threads (dag/) walks a DAG that lies in memory;
// fork_join_threads (program.hpp) makes the threads from a *program* as they are spawned and
// forgets them when they die, so that memory follows what is alive. A scheduler sees nothing but
// ids, which are reused.
//
// A run of w instructions that neither spawns, nor joins, nor ends a thread may be one instruction
// of weight w: it keeps a processor for w steps, and what it does happens in the last of them.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>

#include "lab/model/ids.hpp"

namespace heist::lab {

// What an executed instruction did to its thread, and for others.
struct outcome {
  enum class fate : std::uint32_t {
    goes_on,  // the next instruction is ready
    stalled,  // the next instruction waits for a join
    died,     // it was the last instruction; the id may be reused
  };

  fate thread = fate::goes_on;
  thread_id spawned = no_id;
  std::array<thread_id, 2> enabled = {no_id, no_id};  // stalled threads that are ready now
};

// The number of an iteration among the iterations of its loop, for schedulers that deal work out by
// a plan. A thread with count 0 is no iteration.
struct place_among {
  std::uint64_t index = 0, count = 0;
};

// What the functions say:
//
//   start            begins a new run, and returns the root
//   execute          executes the thread's next instruction
//   weight           of the next instruction: 1 or more
//   parent           of the root: no_id. It is still known of a thread that just died
//   living_children  how many
//   hint             an estimate of the work that the thread stands for
//   place            its number among the iterations of a loop
//   fetch            prefetches what executing it will touch
//   living           how many threads are alive
//   space            the sum of their frames
template <class T>
concept thread_system = requires(T& threads, const T& constant, thread_id id) {
  { threads.start() } -> std::same_as<thread_id>;
  { threads.execute(id) } -> std::same_as<outcome>;
  { constant.weight(id) } -> std::same_as<std::uint64_t>;
  { constant.parent(id) } -> std::same_as<thread_id>;
  { constant.living_children(id) } -> std::same_as<std::uint32_t>;
  { constant.hint(id) } -> std::same_as<std::uint64_t>;
  { constant.place(id) } -> std::same_as<place_among>;
  { constant.fetch(id) } -> std::same_as<void>;
  { constant.living() } -> std::same_as<std::uint64_t>;
  { constant.space() } -> std::same_as<std::uint64_t>;
};

}  // namespace heist::lab
