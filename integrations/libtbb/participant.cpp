#include "participant.hpp"

#include "arena.hpp"
#include "contexts.hpp"
#include "market.hpp"
#include "small_objects.hpp"
#include "strand.hpp"

namespace heist::inline v0::libtbb {

constinit thread_local participant* current_participant = nullptr;

namespace {

// Ends the participant with its thread.
struct thread_end {
  ~thread_end() { delete std::exchange(current_participant, nullptr); }
};

}  // namespace

participant::participant()
    : memory(small_objects::acquire()),
      barrier(deque::heavy_barrier_target::this_thread()),
      contexts(context_list::acquire(barrier)),
      random(static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(this) >> 6) | 1),
      native(new strand),
      on(native) {}

participant::~participant() {
  if (at != nullptr) {
    work_arena& own = *in;
    own.stand_up(*this);
    worker_market::instance().release(own);
  }
  delete native;
  context_list::release(contexts);
  small_objects::release(memory);
}

// Not inlined: once for a thread.
[[gnu::noinline]] participant& make_participant() {
  thread_local thread_end end;
  static_cast<void>(&end);
  current_participant = new participant;
  return *current_participant;
}

[[gnu::noinline]] participant* read_current_participant() noexcept {
  participant* p = current_participant;
  asm volatile("" : "+r"(p));  // so that no compiler knows that it returns the same each time
  return p;
}

void take_first_seat(participant& me) {
  worker_market& m = worker_market::instance();
  work_arena& own =
      m.make_arena(m.pool_size(), 1, static_cast<int>(d1::task_arena_base::priority::normal));
  static_cast<void>(own.sit_down(me));  // the first of the seats
  me.outside.context = &own.default_context();
}

}  // namespace heist::inline v0::libtbb
