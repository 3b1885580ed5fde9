#include "heist/pipeline.hpp"

#include "heist/error.hpp"
#include "observe/span/strands.hpp"

namespace heist::inline v0::detail {

struct turnstile::walker : waiter {
  std::uint64_t number = 0;
};

void turnstile::enter(std::uint64_t number) noexcept {
  walker me;
  me.number = number;
  const bool waits = [&] {
    const holding hold(guard_);
    if (turn_ == number) return false;
    waiters_.push_back(me);
    return true;
  }();
  if (waits) me.point.wait();
  if (measures_work()) [[unlikely]]
    note_gate_entered(this);
}

void turnstile::leave() noexcept {
  if (measures_work()) [[unlikely]]
    note_gate_left(this);
  waiter* next;
  {
    const holding hold(guard_);
    ++turn_;
    // This looks at no more waiters than there are tokens, and usually finds the first one.
    next = waiters_.first();
    while (next != nullptr && static_cast<walker*>(next)->number != turn_) next = next->next;
    if (next != nullptr) waiters_.remove(*next);
  }
  if (next != nullptr) next->point.end();
}

// An item begins when the one before it has left the source, and when the one has ended whose token
// it gets: that with its number less the tokens.
namespace {

const void* source_of(const void* run) noexcept { return static_cast<const char*>(run) + 1; }
const void* end_of(const void* run) noexcept { return static_cast<const char*>(run) + 2; }
// It is no address of anything: one token's is far from the next one's.
const void* token_of(const void* run, std::uint64_t token) noexcept {
  constexpr std::uintptr_t apart = 0x9E3779B97F4A7C15U;
  return reinterpret_cast<const void*>((reinterpret_cast<std::uintptr_t>(run) | 3U) +
                                       (token + 1) * apart);
}

}  // namespace

void note_pipeline_begins(const void* run) noexcept {
  strands::put_before(run);
  strands::note_not_in_dag("pipelines: in the DAG their items are as this run has carried them");
}
void note_pipeline_ends(const void* run, std::uint64_t tokens) noexcept {
  strands::follow_step(end_of(run));
  for (const void* key : {run, source_of(run), end_of(run)}) strands::forget_step(key);
  for (std::uint64_t t = 0; t < tokens; ++t) strands::forget_step(token_of(run, t));
}
void note_item_begins(const void* run, std::uint64_t number, std::uint64_t tokens) noexcept {
  strands::begin_step(run);
  strands::follow_step(source_of(run));
  strands::follow_step(token_of(run, number % tokens));
}
void note_item_given(const void* run) noexcept { strands::put_before(source_of(run)); }
void note_item_ends(const void* run, std::uint64_t number, std::uint64_t tokens) noexcept {
  strands::put_before(token_of(run, number % tokens));
  strands::put_before(end_of(run));
}
void note_gate_made(const void* gate) noexcept { strands::forget_step(gate); }
void note_gate_entered(const void* gate) noexcept { strands::follow_step(gate); }
void note_gate_left(const void* gate) noexcept { strands::put_before(gate); }

void throw_no_tokens() { throw usage_error("pipeline: 0 tokens let nothing through"); }

}  // namespace heist::inline v0::detail
