// What a function leaves on its worker's deque for thieves, and takes back from there before it
// returns.
//
// The entries lie one above the other at the fork depths from the one at which the function began.
// So only the function itself may push some, not what it forked (that is deeper) nor what runs on
// another fiber; push() checks this and refuses. Entries that thieves took are joined like forks,
// newest first (join.cpp): that is how the slots come back.
#pragma once

#include <cstring>
#include <new>
#include <type_traits>

#include "heist/detail/hot_path.hpp"
#include "heist/detail/waiting.hpp"
#include "heist/fork_join.hpp"
#include "runtime/join.hpp"

namespace heist::inline v0::detail {

class left_work {
 public:
  left_work() noexcept : fiber_(current_fiber()), start_(hot_path::depth()) {}
  left_work(const left_work&) = delete;
  left_work& operator=(const left_work&) = delete;

  // True: a thief may call run(job), in whose payload the item is, and must end that with
  // complete(). False: the deque is full, or the caller is not the function itself.
  template <class Item>
  [[nodiscard]] bool push(void (*run)(job&) noexcept, const Item& item) noexcept {
    static_assert(sizeof(Item) <= job::payload_bytes && std::is_trivially_copyable_v<Item>);
    if (!is_here()) return false;
    const wide_position h = place_of(pushed_);
    job& slot = hot_path::slot(h);
    slot.run = run;
    ::new (static_cast<void*>(slot.payload)) Item(item);
    hot_path::publish(h);
    if (hot_path::asked(h)) fork_slow();
    if (slot.run == nullptr) hot_path::take_private(h);  // refused (fork_deque.hpp, D1)
    if (hot_path::depth() == h) return false;
    ++pushed_;
    return true;
  }

  // Whether the caller is the function itself, on a worker.
  [[nodiscard]] bool is_here() const noexcept {
    return fiber_ != nullptr && current_fiber() == fiber_ && hot_path::depth() == place_of(pushed_);
  }
  [[nodiscard]] bool empty() const noexcept { return pushed_ == 0; }

  // Pops the newest entry; needs is_here(). False: a thief had it, and has completed it. Suspends
  // the fiber until then.
  template <class Item>
  [[nodiscard]] bool pop(Item& item) noexcept {
    --pushed_;
    const wide_position h = place_of(pushed_);
    const job* const slot = hot_path::take_private(h) ? &hot_path::slot(h) : join_child();
    if (slot == nullptr) return false;
    item = item_of<Item>(*slot);
    return true;
  }

  // A copy: what runs next uses the slot again.
  template <class Item>
  static Item item_of(const job& j) noexcept {
    Item item;
    std::memcpy(&item, j.payload, sizeof(item));
    return item;
  }

 private:
  [[nodiscard]] wide_position place_of(wide_position i) const noexcept {
    return start_ + i * static_cast<wide_position>(sizeof(job));
  }

  const void* const fiber_;
  const wide_position start_;
  wide_position pushed_ = 0;
};

}  // namespace heist::inline v0::detail
