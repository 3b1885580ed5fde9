// What a function leaves on its worker's deque for thieves, and takes back from there before it
// returns.
//
// The entries lie one above the other at the fork depths from the one at which the function began.
// So only the function itself may push some, not what it forked (that is deeper) nor what runs on
// another fiber; is_here() answers that. Entries that thieves took are joined like forks, newest
// first: that is how the slots come back. A thief may end an entry before it begins the work, and
// the entry has no views (views.hpp): so whole runs of them are joined at once.
//
// Before the function returns it may pop entries only while may_pop(). A scope that it has opened,
// or another left_work, remembers the depth at which it began and tells its own pushes from those
// of forks by that: the head must not sink below it. So a fiber knows its innermost left_work, and
// a scope tells that one where it began (scope_floor).
//
// The worker is an argument of each call: the thread may change between two of them, and the
// address of its thread-local with it (hot_path.hpp).
#pragma once

#include <new>
#include <type_traits>
#include <utility>

#include "heist/detail/hot_path.hpp"
#include "heist/detail/spawn_path.hpp"
#include "heist/fork_join.hpp"
#include "runtime/fibers/slots.hpp"
#include "runtime/waits/rendezvous.hpp"
#include "runtime/work/fork_join.hpp"

namespace heist::inline v0::detail {

class left_work {
 public:
  // `here`: the running fiber.
  // A thief's request is answered by a push, but by at most one of `pushes_per_answer` of them:
  // each answer costs the owner cache misses. A thief that waits too long for that helps itself. A
  // sleeper doesn't, so while somebody sleeps each push answers (sleepers.hpp, S7).
  explicit left_work(fiber* here, unsigned pushes_per_answer = 1) noexcept
      : fiber_(here),
        start_(static_cast<position>(hot_path::depth())),
        top_(start_),
        floor_(start_),
        pushes_per_answer_(pushes_per_answer),
        unanswered_(pushes_per_answer),
        outer_(here == nullptr ? nullptr : std::exchange(here->left, this)) {}
  ~left_work() {
    if (fiber_ != nullptr) fiber_->left = outer_;
  }
  left_work(const left_work&) = delete;
  left_work& operator=(const left_work&) = delete;

  // Another function begins above what is left, on the same fiber, and what it leaves is this
  // object's until end_above(), which needs empty() and what this has returned.
  [[nodiscard]] position begin_above() noexcept {
    floor_ = top_;
    return std::exchange(start_, top_);
  }
  void end_above(position start) noexcept { start_ = floor_ = start; }

  // For scope_floor: returns the floor before.
  position raise_floor(position to) noexcept { return std::exchange(floor_, to); }

  // Whether the caller, on that worker, is the function itself.
  [[nodiscard]] bool is_here(const worker* w) const noexcept {
    return w != nullptr && fiber_ == w->current.get() && is_newest(*w);
  }
  // The same if the caller is known to run on the function's fiber.
  [[nodiscard]] bool is_newest(const worker& w) const noexcept { return w.deque->depth() == top_; }
  // Whether the caller, on that worker, is the function itself and hasn't opened anything that is
  // still open.
  [[nodiscard]] bool may_pop(const worker* w) const noexcept {
    return is_here(w) && is_innermost();
  }
  [[nodiscard]] bool empty() const noexcept { return top_ == start_; }
  // How many entries were pushed and haven't been popped; thieves may have taken some.
  [[nodiscard]] position size() const noexcept { return (top_ - start_) / one; }

  // ---- For the function itself, which is_here().

  // Pushes an entry, with an Item(arguments...) in its payload. True: a thief may call run(job) and
  // must end that with job::done and without views. False: the deque is full.
  template <class Item, class... Arguments>
  [[nodiscard]] bool push(worker& w, void (*run)(job&) noexcept, Arguments... arguments) noexcept {
    static_assert(sizeof(Item) <= job::payload_bytes && std::is_trivially_destructible_v<Item>);
    if (size() % pushes_per_look == pushes_per_look - 1 && is_innermost()) [[unlikely]]
      join_stolen(w);
    control& c = *w.deque;
    job& slot = slot_at(c, top_);
    slot.run = run;
    ::new (static_cast<void*>(slot.payload)) Item{arguments...};
    c.publish(top_);
    if (w.uses_split()) {
      ++unanswered_;
      if (!c.asked(top_) || (unanswered_ < pushes_per_answer_ && may_wait(w))) [[likely]] {
        top_ += one;
        return true;
      }
      unanswered_ = 0;
    }
    if (w.path.push(w)) [[likely]] {
      top_ += one;
      return true;
    }
    static_cast<void>(c.take_private(top_));  // refused (fork_deque.hpp, D1)
    return false;
  }

  // Changes the newest entry in place, which is a pop and a push: change(item). False: no thread
  // might see that, since the entry is public.
  template <class Item, class Change>
  [[nodiscard]] bool change_newest(worker& w, const Change& change) noexcept {
    control& c = *w.deque;
    const position h = top_ - one;
    const bool is_private = c.take_private(h);
    if (is_private) [[likely]]
      change(item_in<Item>(slot_at(c, h)));
    c.publish(h);
    return is_private;
  }

  enum class popped : std::uint8_t { none, part, all };
  // Pops the newest entry if it is private; otherwise pop() has to follow. keep(item):
  // whether the entry remains, as an item that keep() has changed.
  template <class Item, class Keep>
  [[nodiscard]] popped pop_private(worker& w, const Keep& keep) noexcept {
    control& c = *w.deque;
    const position h = top_ - one;
    if (!c.take_private(h)) [[unlikely]]
      return popped::none;
    if (keep(item_in<Item>(slot_at(c, h)))) [[likely]] {
      c.publish(h);
      return popped::part;
    }
    top_ = h;
    return popped::all;
  }
  // Pops the newest entry. Returns what it holds, until the next push. Nullptr: a thief had it, and
  // has completed it; so it did the older ones, and those that are complete are joined as well.
  // Suspends the fiber until the newest is; before_waiting() is called before that.
  template <class Item, class Function>
  [[nodiscard]] Item* pop(const Function& before_waiting) noexcept {
    worker& w = *worker_here();
    top_ -= one;
    if (w.deque->take_private(top_)) return &item_in<Item>(slot_at(*w.deque, top_));
    const popped_entry newest = w.path.take(w);
    if (newest.is_owners) [[likely]]
      return &item_in<Item>(*newest.slot);
    before_waiting();
    if (job* const slot = take_stolen(*worker_here(), *newest.slot)) return &item_in<Item>(*slot);
    join_completed(self_worker());
    return nullptr;
  }
  template <class Item>
  [[nodiscard]] Item* pop() noexcept {
    return pop<Item>([] {});
  }

  // Needs !empty(), and a deque on which thieves see each entry: what the newest one holds,
  // also if a thief has it. Nullptr: a thief has it, and its slot is not among those in use.
  template <class Item>
  [[nodiscard]] Item* newest(const worker& w) const noexcept {
    const position h = top_ - one;
    return h < w.current.get()->from ? nullptr : &item_in<Item>(slot_at(*w.deque, h));
  }

  // If thieves have taken all entries, joins those that are complete: the next ones then lie in
  // their places. Otherwise a function that leaves much, and whose waits end early, would fill the
  // deque with places of work that was done long ago. Needs may_pop().
  [[gnu::noinline]] void join_stolen(worker& w) noexcept {
    const auto is_all_stolen = [&w] {
      return w.uses_split() ? w.deque->word.load().tail >= w.deque->depth() : w.forks->is_empty();
    };
    if (!empty() && is_all_stolen()) join_completed(w);
  }

  // For a thief that ends the entry before it begins the work. The state soon belongs to another
  // entry: no wait of this fiber may be taken for one of the job's (wait_graph.hpp).
  static void settle_at_once(job& j) noexcept {
    self_worker().current.get()->ends = nullptr;
    if (fiber* const f = settle_for_fiber(j.state, job::done)) make_ready(*f);
  }

  // What an entry holds. What runs next uses its slot again.
  template <class Item>
  static Item& item_in(job& slot) noexcept {
    return *std::launder(reinterpret_cast<Item*>(slot.payload));
  }

 private:
  static constexpr position one = sizeof(job);
  static constexpr position pushes_per_look = 64;

  [[nodiscard]] bool is_innermost() const noexcept {
    return floor_ == start_ && (fiber_ == nullptr || fiber_->left == this);
  }

  // Whether a push on a split deque that must take the slow path need do so for nothing but the
  // request of a thief that is awake.
  [[nodiscard]] bool may_wait(const worker& w) const noexcept;

  // Joins the newest entries as far as thieves have completed them. Those that a thief hasn't taken
  // are not: so in a shared queue, where older entries may still lie.
  [[gnu::noinline]] void join_completed(worker& w) noexcept {
    const position before = top_;
    for (; top_ != start_; top_ -= one) {
      if (top_ - one < w.current.get()->from) break;  // in other slots: join_child() finds them
      job& j = slot_at(*w.deque, top_ - one);
      if (j.state.look() != job::done) break;
      j.state.reset();
    }
    if (top_ == before) return;
    w.count.failed_takes.add((before - top_) / one);
    place_deque(w, top_, w.current.get()->array->slots);
  }

  fiber* const fiber_;
  position start_;
  position top_;
  position floor_;  // where the innermost open scope began, or start_
  const unsigned pushes_per_answer_;
  unsigned unanswered_;     // pushes since the last answer
  left_work* const outer_;  // the next one of the fiber
};

}  // namespace heist::inline v0::detail
