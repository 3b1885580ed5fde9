// What comes into a pool other than by stealing: roots, fibers that can continue, and forks that
// their fiber left behind when it suspended.
//
// Roots have one queue, by priority. Fibers and forks lie in lanes: each slot of the pool has one,
// for what the worker in it makes ready or leaves behind, and there is one more for the fibers that
// threads outside make ready. A worker takes from its own lane, from that one and from the roots by
// the rule of turns.hpp, and from other lanes when it finds nothing there, or has had its turns
// (T2). So workers that only wait for each other write no line of the whole pool.
//
// Each lane has a lock and two intrusive lists, and so have the roots. A push allocates nothing,
// so it can't fail. A pop takes a lock only when there is something to take: everything inside a
// pool goes through the deques.
//
// The counts are written under the locks, and read without them as hints, relaxed. A thread that
// is about to sleep reads all of them after its seq_cst fence; partner: the fence in
// pool_impl::wake_for_injection.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "heist/detail/job.hpp"
#include "heist/detail/local.hpp"
#include "heist/detail/root.hpp"
#include "heist/detail/short_lock.hpp"
#include "platform/cpu.hpp"
#include "runtime/core/entry_lane.hpp"
#include "runtime/core/fiber.hpp"
#include "runtime/core/root_queue.hpp"
#include "runtime/core/turns.hpp"

namespace heist::inline v0::detail {

// At most one member isn't null.
struct injected {
  fiber* resumable = nullptr;
  job* left_behind = nullptr;
  root* entry = nullptr;
};

// What a worker knows of its pool's entry; its own thread uses it.
struct entry_access {
  static constexpr unsigned none = ~0U;

  unsigned lane = 0;                  // its own; constant
  local<unsigned> last_other = 0;     // whose lane it has looked at last, counted from its own
  local<bool> outside_first = false;  // the next fiber
  // A lane that it found with one fiber, how many had been taken there by then, and how often it
  // has found that one.
  local<unsigned> noticed = none;
  local<std::uint32_t> taken = 0;
  local<unsigned> looks = 0;
  local<unsigned> pops_for_call = 0;
  entry_turns turns{};
};

class injection_queue {
 public:
  // To be called once, before any other thread knows of the queue.
  void make_lanes(unsigned slots) {
    slots_ = slots;
    lanes_ = std::make_unique<entry_lane[]>(slots + 1);
  }
  // For what a thread pushes that is no worker of the pool.
  [[nodiscard]] unsigned lane_of_outsiders() const noexcept { return slots_; }

  void push(root& r) noexcept {
    auto* const member = r.is_of_family ? static_cast<family_root*>(&r) : nullptr;
    const bool is_at_home = member != nullptr && is_home_of(*member->family);
    const std::lock_guard hold(lock_);
    roots_.push(r);
    if (is_urgent(r)) add(urgent_, 1);
    if (is_at_home) root_queue::list(*member);
    add(count_, 1);
  }
  template <class Item>  // a fiber or a job
  void push(Item& item, unsigned lane) noexcept {
    lanes_[lane].push(item);
  }

  // Whether roots, or something in its own lane or that of threads outside, wait for a worker.
  [[nodiscard]] bool has_for(const entry_access& a) const noexcept {
    return roots() != 0 || !lanes_[a.lane].empty() || !lanes_[slots_].empty();
  }

  // The one of these that goes next (T1 in turns.hpp). roots_first: roots before forks, usually.
  // urgent_first: an urgent root before all others.
  injected pop(entry_access& a, bool roots_first, bool urgent_first) noexcept {
    injected item;
    entry_lane& own = lanes_[a.lane];
    if (urgent_first && urgent() != 0) a.turns.keep_urgent_due();
    switch (a.turns.choose({own.fibers() + lanes_[slots_].fibers() != 0, own.jobs() != 0,
                            roots() != 0, urgent() != 0, roots_first})) {
      case entry_level::resumed:
        item.resumable = pop_near(a, nullptr);
        break;
      case entry_level::left_behind:
        item.left_behind = own.pop_job();
        break;
      case entry_level::root:
        item.entry = pop_root();
        if (item.entry != nullptr && !is_urgent(*item.entry) && urgent() != 0)
          a.turns.keep_urgent_due();
        break;
      case entry_level::none:
        break;
    }
    return item;
  }

  // The newest root of the family that waits here, or nullptr.
  root* pop_newest_of(const root_family& family) noexcept {
    if (roots() == 0 || family.home.load(std::memory_order_relaxed) != this) return nullptr;
    const std::lock_guard hold(lock_);
    return take_root(roots_.pop_newest_of(family));
  }

  // What pop() is for a guest: no new roots, and only fibers that serve its own call.
  injected pop_for(const root& call, entry_access& a) noexcept {
    injected item;
    const auto pop_fork = [&] { return (item.left_behind = lanes_[a.lane].pop_job()) != nullptr; };
    a.pops_for_call = a.pops_for_call + 1;
    const bool forks_first = a.pops_for_call % worker_turns::bound == 0;
    if (!(forks_first && pop_fork()) && (item.resumable = pop_near(a, &call)) == nullptr &&
        !pop_fork())
      return item;
    if (roots() != 0) a.turns.note_root_passed_over();
    return item;
  }

  // From the lanes of others, a few of them each time and all in turn. `call`: for a guest, as in
  // pop_for(); else nullptr. spares_last: a fiber that is alone in its lane is left there until it
  // was there at three looks, some microseconds. Most often the worker that has made it ready waits
  // in a moment, and then goes on with it, where what it needs is in the cache.
  injected pop_elsewhere(entry_access& a, const root* call, bool spares_last) noexcept {
    injected item;
    const unsigned others = std::min(slots_ - 1, lanes_at_once);
    for (unsigned k = 0; k < others; ++k) {
      a.last_other = a.last_other % (slots_ - 1) + 1;
      entry_lane& lane = lanes_[(a.lane + a.last_other) % slots_];
      if ((spares_last && is_to_be_spared(a, lane)) || lane.empty()) continue;
      const bool forks_first = lane.taken() % 2 != 0;
      if (forks_first && (item.left_behind = lane.pop_job()) != nullptr) break;
      if ((item.resumable = lane.pop_fiber(call)) != nullptr) break;
      if ((item.left_behind = lane.pop_job()) != nullptr) break;
    }
    return item;
  }

  // A fiber that can continue, from any lane, or nullptr.
  fiber* pop_fiber() noexcept {
    for (unsigned i = 0; i <= slots_; ++i)
      if (fiber* const f = lanes_[i].pop_fiber(nullptr)) return f;
    return nullptr;
  }

  // Takes out a fork that was left behind; false if it isn't there. Looks at all of them.
  bool remove(job& j) noexcept {
    for (unsigned i = 0; i < slots_; ++i)
      if (lanes_[i].remove(j)) return true;
    return false;
  }

  // How many urgent roots wait: priority::high, or a thread outside the pool waits for it. Relaxed:
  // the one that is asked by wake_for_injection() has passed a fence before.
  [[nodiscard]] std::uint64_t urgent() const noexcept {
    return urgent_.load(std::memory_order_relaxed);
  }
  static bool is_urgent(const root& r) noexcept { return r.urgency == priority::high; }
  // Whether the worker's next turn here would be a root's, if it took roots.
  [[nodiscard]] bool root_is_due(const entry_access& a) const noexcept {
    return roots() != 0 && a.turns.root_is_due(urgent() != 0);
  }

  [[nodiscard]] entry_census census() noexcept {
    entry_census c{};
    for (unsigned i = 0; i <= slots_; ++i) lanes_[i].add_to(c);
    const std::lock_guard hold(lock_);
    for (const priority p : {priority::high, priority::normal, priority::low}) {
      const auto l = 2 + static_cast<std::size_t>(p);
      c.waits[l] = roots_.has(p);
      c.taken[l] = roots_.taken(p);
    }
    return c;
  }

  // Of all lanes and the roots. Cost: a line of the cache for each slot.
  [[nodiscard]] std::uint64_t size() const noexcept {
    std::uint64_t n = roots();
    for (unsigned i = 0; i <= slots_; ++i) n += lanes_[i].fibers() + lanes_[i].jobs();
    return n;
  }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

 private:
  using counter = std::atomic<std::uint64_t>;
  static constexpr unsigned lanes_at_once = 8;
  static constexpr unsigned looks_at_last = 3;

  [[nodiscard]] std::uint64_t roots() const noexcept {
    return count_.load(std::memory_order_relaxed);
  }
  // Makes it its home if it has none.
  [[nodiscard]] bool is_home_of(root_family& family) const noexcept {
    const injection_queue* home = nullptr;
    return family.home.compare_exchange_strong(home, this, std::memory_order_relaxed,
                                               std::memory_order_relaxed) ||
           home == this;
  }
  [[nodiscard]] bool is_to_be_spared(entry_access& a, const entry_lane& lane) const noexcept {
    const auto number = static_cast<unsigned>(&lane - lanes_.get());
    const bool is_alone = lane.fibers() == 1 && lane.jobs() == 0;
    if (is_alone && a.noticed == entry_access::none) {
      a.noticed = number;
      a.taken = lane.taken();
      a.looks = 1;
      return true;
    }
    if (a.noticed != number) return is_alone;  // after the one that was noticed
    a.looks = a.looks + 1;
    const bool stays = is_alone && a.taken == lane.taken();
    if (!stays || a.looks == looks_at_last) a.noticed = entry_access::none;
    return is_alone && (!stays || a.looks != looks_at_last);
  }
  // From the worker's own lane or that of threads outside; where both have some, each in turn.
  fiber* pop_near(entry_access& a, const root* call) noexcept {
    const unsigned first = a.outside_first ? slots_ : a.lane;
    a.outside_first = !a.outside_first;
    fiber* const f = lanes_[first].pop_fiber(call);
    return f != nullptr ? f : lanes_[first == slots_ ? a.lane : slots_].pop_fiber(call);
  }
  root* pop_root() noexcept {
    const std::lock_guard hold(lock_);
    return take_root(roots_.pop());
  }
  // Under lock_.
  root* take_root(root* r) noexcept {
    if (r == nullptr) return nullptr;
    if (is_urgent(*r)) add(urgent_, -1);
    add(count_, -1);
    return r;
  }
  static void add(counter& count, int by) noexcept {
    count.store(count.load(std::memory_order_relaxed) + static_cast<std::uint64_t>(by),
                std::memory_order_relaxed);
  }

  // Constant.
  unsigned slots_ = 0;
  std::unique_ptr<entry_lane[]> lanes_;  // of each slot, and of threads outside
  // Roots.
  alignas(platform::cache_line_bytes) counter count_{0};
  counter urgent_{0};
  short_lock lock_;
  root_queue roots_;  // guarded by lock_
};

}  // namespace heist::inline v0::detail
