#include "heist/pipeline.hpp"

#include <algorithm>
#include <chrono>

#include "heist/detail/entry.hpp"
#include "heist/detail/parallel/pace.hpp"
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

namespace {

// An item that takes less, some 1 us, costs more on two workers than on one: the lock, what
// the source and the last stage use, and the item go from cache to cache (`heist bench pipeline`).
std::uint64_t least_ticks() noexcept { return ticks_per_chunk() / 3; }

constexpr std::uint64_t items_a_time = 8;  // one of so many is timed: looking takes some 10 ns
constexpr std::uint64_t items_remembered = 32;
constexpr std::chrono::microseconds shortest_nap{50};
constexpr std::chrono::microseconds longest_nap{1000};

}  // namespace

pipeline_crew::pipeline_crew(std::uint64_t limit) noexcept
    : limit_(limit), is_timed_(workers_here() > 1), items_(1), spent_(least_ticks() * 4) {}

bool pipeline_crew::has_room() const noexcept {
  // Acquire: the slot is free, too.
  return begun_ - ended_.load(std::memory_order_acquire) < limit_;
}

// Those that have found no room are called together rather than for each item.
bool pipeline_crew::is_half_empty() const noexcept {
  return begun_ - ended_.load(std::memory_order_relaxed) <= limit_ / 2;
}

// Whether that many carriers do more than one less: each needs the source for a part of its time.
bool pipeline_crew::pays(std::uint64_t carriers) const noexcept {
  if (measures_work()) return true;
  const std::uint64_t item = spent_ / items_;
  return item >= least_ticks() && item >= (carriers - 1) * (source_takes_ + source_takes_ / 4);
}

bool pipeline_crew::wants(const carrier& c, std::uint64_t others) const noexcept {
  return has_room() && (others == 0 || last_ == &c || pays(others + 1));
}

void pipeline_crew::note_item(std::uint64_t ticks_taken) noexcept {
  if (items_ == items_remembered) {
    items_ /= 2;
    spent_ /= 2;
  }
  ++items_;
  spent_ += ticks_taken;
}

bool pipeline_crew::enter(carrier& c) {
  // The time that it waits for the lock doesn't count.
  const std::uint64_t took = c.since != 0 ? ticks() - c.since : 0;
  source_.lock();
  if (c.since != 0) note_item(took);
  c.since = 0;
  if (!c.is_active) ++active_;
  c.is_active = true;
  if (!has_ended() && !wants(c, active_ - 1)) wait_until_wanted(c);
  if (has_ended()) {
    source_.unlock();
    return false;
  }
  if (waiting_ != 0 && !is_called_ && (!is_watched_ || (pays(active_ + 1) && is_half_empty()))) {
    is_called_ = true;
    wake_.notify_one();
  }
  if (is_timed_ && begun_ % items_a_time == 0) c.since = ticks();
  return true;
}

void pipeline_crew::wait_until_wanted(carrier& c) {
  auto nap = shortest_nap;
  --active_;
  ++waiting_;
  for (bool is_stuck = false; !has_ended() && !is_stuck && !wants(c, active_);) {
    if (is_watched_ || !has_room()) {
      wake_.wait(source_);  // the one that makes room comes by and calls
    } else {
      is_watched_ = true;
      const std::uint64_t seen = begun_;
      bool was_called = false;
      try {
        was_called = wake_.wait_for(source_, nap);
      } catch (...) {  // no alarm could be set, so it can't wait
      }
      is_watched_ = false;
      is_stuck = !was_called && begun_ == seen && has_room();
      nap = std::min(2 * nap, longest_nap);
    }
    is_called_ = false;
  }
  --waiting_;
  ++active_;
}

void pipeline_crew::leave(carrier& c, bool has_item) noexcept {
  if (has_item) {
    if (c.since != 0) source_takes_ = source_takes_ - source_takes_ / 8 + (ticks() - c.since) / 8;
    ++begun_;
    last_ = &c;
  } else {
    has_ended_.store(true, std::memory_order_relaxed);
    wake_.notify_all();
  }
  source_.unlock();
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
