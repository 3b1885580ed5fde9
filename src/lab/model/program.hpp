// Fork-join computations as programs: a program says what each instruction of a thread does, and
// fork_join_threads is the thread system that runs it. Threads are made when they are spawned and
// forgotten when they die.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <heist/error.hpp>

#include "lab/model/thread_system.hpp"

namespace heist::lab {

// What one instruction of a program did, besides changing the thread's frame.
struct action {
  enum class next : std::uint8_t {
    goes_on,
    waits,  // the next instruction is a sync: it joins all children
    ends,   // the thread has no more instructions; it has no living children
  };

  bool spawns = false;  // the instruction filled in the child's frame
  next then = next::goes_on;
};

// A program must sync after its last spawn, before its thread ends. At least one instruction stands
// between the spawn and the sync, as in the model no join enters the instruction right after a
// spawn. root() returns the root's frame and resets what the program holds.
template <class P>
concept fork_join_program = requires(P& program, const P& constant, typename P::frame& frame,
                                     const typename P::frame& seen) {
  { program.root() } -> std::same_as<typename P::frame>;
  { program.execute(frame, frame) } -> std::same_as<action>;
  { constant.weight(seen) } -> std::same_as<std::uint64_t>;
  { constant.hint(seen) } -> std::same_as<std::uint64_t>;
  { constant.place(seen) } -> std::same_as<place_among>;
};

template <fork_join_program Program>
class fork_join_threads {
 public:
  using program_type = Program;

  explicit fork_join_threads(Program program) : program_(std::move(program)) {}

  [[nodiscard]] Program& program() { return program_; }
  [[nodiscard]] const typename Program::frame& frame(thread_id id) const {
    return slots_[id].frame;
  }
  // Whether the next instruction does nothing but wait for the children: they are all spawned.
  [[nodiscard]] bool waits_next(thread_id id) const
  requires requires(const Program& p, const typename Program::frame& f) { p.waits_next(f); }
  {
    return program_.waits_next(slots_[id].frame);
  }
  // Whether the next instruction is a sync.
  [[nodiscard]] bool is_at_sync(thread_id id) const { return (slots_[id].state & at_sync) != 0; }

  thread_id start() {
    slots_.clear();
    free_ = no_id;
    living_ = 0;
    return add(program_.root(), no_id);
  }

  outcome execute(thread_id id) {
    outcome result;
    typename Program::frame child{};
    const action did = program_.execute(slots_[id].frame, child);
    if (did.spawns) {
      result.spawned = add(child, id);
      slots_[id].state += one_child;
    }
    auto& slot = slots_[id];
    slot.state &= ~(at_sync | stalled);
    if (did.then == action::next::ends) {
      result.thread = outcome::fate::died;
      result.enabled[0] = remove(id);
    } else if (did.then == action::next::waits) {
      slot.state |= at_sync;
      if (slot.state >= one_child) {
        slot.state |= stalled;
        result.thread = outcome::fate::stalled;
      }
    }
    return result;
  }

  [[nodiscard]] std::uint64_t weight(thread_id id) const {
    return program_.weight(slots_[id].frame);
  }
  [[nodiscard]] std::uint64_t hint(thread_id id) const { return program_.hint(slots_[id].frame); }
  [[nodiscard]] place_among place(thread_id id) const { return program_.place(slots_[id].frame); }
  [[nodiscard]] thread_id parent(thread_id id) const { return slots_[id].parent; }
  [[nodiscard]] std::uint32_t living_children(thread_id id) const {
    return slots_[id].state / one_child;
  }
  [[nodiscard]] std::uint64_t living() const { return living_; }
  [[nodiscard]] std::uint64_t space() const { return living_; }  // frames of size 1
  [[gnu::always_inline]] void fetch(thread_id id) const { __builtin_prefetch(&slots_[id]); }

 private:
  static constexpr std::uint32_t at_sync = 1, stalled = 2, one_child = 4;

  struct thread {
    typename Program::frame frame;
    // Of a thread that just died, too: a slot is given out again at the next spawn.
    thread_id parent;
    // Two flags, and the living children above them; of a free slot: the next free one.
    std::uint32_t state;
  };

  thread_id add(const typename Program::frame& frame, thread_id parent) {
    ++living_;
    if (free_ == no_id) {
      if (slots_.size() == no_id) throw resource_error("more than 2^32 threads would live at once");
      slots_.push_back({frame, parent, 0});
      return static_cast<thread_id>(slots_.size() - 1);
    }
    const thread_id id = free_;
    free_ = slots_[id].state;
    slots_[id] = {frame, parent, 0};
    return id;
  }

  // Returns the parent if it waited for this thread only, and no_id otherwise.
  thread_id remove(thread_id id) {
    const thread_id parent = slots_[id].parent;
    slots_[id].state = free_;
    free_ = id;
    --living_;
    if (parent == no_id) return no_id;
    auto& state = slots_[parent].state;
    state -= one_child;
    if (state >= one_child || (state & stalled) == 0) return no_id;
    state &= ~stalled;
    return parent;
  }

  Program program_;
  std::vector<thread> slots_;
  thread_id free_ = no_id;
  std::uint64_t living_ = 0;
};

}  // namespace heist::lab
