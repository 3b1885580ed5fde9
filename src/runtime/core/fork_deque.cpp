#include "runtime/core/fork_deque.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "heist/detail/invariant.hpp"
#include "runtime/core/shared_queue.hpp"

namespace heist::inline v0::detail {

std::unique_ptr<fork_deque> make_fork_deque(const pool_config& config, shared_queue* shared) {
  constexpr std::size_t first = 256;
  const std::size_t depth = config.fork_depth;
  switch (config.deque) {
    case deque_kind::split:
      return nullptr;
    case deque_kind::locked:
      return std::make_unique<forks_on<deque::locked<job*>>>(first);
    case deque_kind::spin_locked:
      return std::make_unique<forks_on<deque::spin_locked<job*>>>(first);
    case deque_kind::bounded_ring:
      return std::make_unique<forks_on<deque::bounded_ring<job*>>>(std::bit_ceil(depth));
    case deque_kind::abp:
      // Its places become free only when it is empty; when they run out, forks are calls.
      return std::make_unique<forks_on<deque::abp<job*>>>(
          std::min(depth, deque::abp<job*>::max_capacity));
    case deque_kind::chase_lev:
      return std::make_unique<forks_on<deque::chase_lev<job*>>>(first);
    case deque_kind::multi_steal:
      return std::make_unique<forks_on<deque::multi_steal<job*>>>(first, config.steal_batch,
                                                                  config.rule);
    case deque_kind::steal_half:
      return std::make_unique<forks_on<deque::steal_half<job*>>>(first);
    case deque_kind::shared_queue:
      return std::make_unique<shared_forks>(*shared);
  }
  return nullptr;
}

// ---- The queue of a pool that shares one (shared_queue.hpp).

namespace {

using word = std::uint64_t;

word first_word(const job& j) noexcept {
  word value;
  std::memcpy(&value, j.payload, sizeof(value));
  return value;
}
void set_first_word(job& j, word value) noexcept { std::memcpy(j.payload, &value, sizeof(value)); }

}  // namespace

shared_queue::entry* shared_queue::make_entry() {
  if (free_ == nullptr) return &entries_.emplace_front();
  auto* const e = static_cast<entry*>(free_);
  free_ = e->after;
  return e;
}

bool shared_queue::push(job& j, int priority) noexcept {
  const std::lock_guard hold(mutex_);
  entry* e;
  list* to;
  try {
    to = &lists_[order_ == queue_order::priority ? priority : 0];
    e = make_entry();
  } catch (const std::bad_alloc&) {
    return false;
  }
  e->item = &j;
  e->priority = priority;
  e->word = first_word(j);
  set_first_word(j, reinterpret_cast<word>(e));
  e->before = to->before;
  e->after = to;
  e->before->after = e;
  to->before = e;
  j.state.enqueue();
  // Relaxed: size_hint() is one; the mutex orders everything else.
  size_.store(size_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return true;
}

void shared_queue::remove(entry& e) noexcept {
  HEIST_INVARIANT("shared_queue.hpp Q1", e.item->state.is_queued());
  HEIST_INVARIANT("shared_queue.hpp Q2", first_word(*e.item) == reinterpret_cast<word>(&e));
  e.before->after = e.after;
  e.after->before = e.before;
  set_first_word(*e.item, e.word);
  e.item->state.reset();
  e.after = free_;
  free_ = &e;
  size_.store(size_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
}

shared_queue::taken shared_queue::take() noexcept {
  if (size_hint() == 0) return {};  // without the lock: idle workers ask all the time
  const std::lock_guard hold(mutex_);
  for (auto& [priority, each] : lists_) {
    if (each.is_empty()) continue;
    auto& e = static_cast<entry&>(order_ == queue_order::lifo ? *each.before : *each.after);
    const taken result{e.item, e.priority};
    remove(e);
    return result;
  }
  return {};
}

bool shared_queue::claim(job& j) noexcept {
  const std::lock_guard hold(mutex_);
  if (!j.state.is_queued()) return false;
  remove(*reinterpret_cast<entry*>(first_word(j)));
  return true;
}

bool shared_queue::claim_alone(job& j) noexcept {
  if (!j.state.is_queued()) return false;
  set_first_word(j, reinterpret_cast<const entry*>(first_word(j))->word);
  j.state.reset();
  return true;
}

}  // namespace heist::inline v0::detail
