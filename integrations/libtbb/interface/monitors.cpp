// Sleeping on an address, and the two monitors of a bounded queue: what tbb::mutex, the concurrent
// containers and the like wait with.
//
// A waiter enters the list of its bucket before it asks its condition; a notifier changes what the
// condition looks at before it looks at the list. The fences on both sides make one of them see the
// other.
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <new>

#include "heist/detail/short_lock.hpp"
#include "parts/abi.hpp"
#include "platform/park.hpp"

namespace heist::inline v0::libtbb {

namespace {

struct waiter {
  platform::park_word word{0};  // 1: woken, 2: aborted
  const void* address;
  std::uintptr_t context;
  waiter* next = nullptr;
};

// Waiters, the oldest first.
class waiting_list {
 public:
  void add(waiter& w) noexcept {
    const std::lock_guard held(lock_);
    *last_ = &w;
    last_ = &w.next;
    count_.fetch_add(1, std::memory_order_seq_cst);
  }

  // false: it is out of the list, and is about to be woken, which must be waited for (sleep).
  bool remove(waiter& w) noexcept {
    const std::lock_guard held(lock_);
    for (waiter** place = &first_; *place != nullptr; place = &(*place)->next) {
      if (*place != &w) continue;
      take_out(place);
      return true;
    }
    return false;
  }

  // Sleeps; returns how it was woken.
  static std::uint32_t sleep(waiter& w) noexcept {
    // Acquire: partner in wake().
    std::uint32_t how = 0;
    while ((how = w.word.load(std::memory_order_acquire)) == 0) platform::futex_wait(w.word, 0);
    return how;
  }

  template <class Test>
  void wake(Test test, std::size_t most, std::uint32_t how = 1) noexcept {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    wake_after_fence(test, most, how);
  }
  // For callers that have just changed what is waited for by an atomic exchange or sum, as all in
  // oneTBB's headers that call notify_by_address: on x86 that was the fence.
  template <class Test>
  void wake_after_exchange(Test test, std::size_t most) noexcept {
#if !defined(__x86_64__)
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
    wake_after_fence(test, most, 1);
  }

 private:
  template <class Test>
  void wake_after_fence(Test test, std::size_t most, std::uint32_t how) noexcept {
    if (count_.load(std::memory_order_relaxed) == 0) return;  // relaxed: the fence
    wake_some(test, most, how);
  }

  // Not inlined: the one that finds nobody saves no registers around the fence.
  template <class Test>
  [[gnu::noinline]] void wake_some(Test test, std::size_t most, std::uint32_t how) noexcept {
    for (waiter* w = take_out_if(test, most); w != nullptr;) {
      waiter* const next = w->next;
      // Release: partner in sleep(). From here on the waiter may be gone; waking an address where
      // nobody waits does nothing.
      w->word.store(how, std::memory_order_release);
      platform::futex_wake(w->word, 1);
      w = next;
    }
  }
  // At most so many of those for which the test holds, linked.
  template <class Test>
  [[nodiscard]] waiter* take_out_if(Test test, std::size_t most) noexcept {
    waiter* taken = nullptr;
    waiter** last_taken = &taken;
    const std::lock_guard held(lock_);
    for (waiter** place = &first_; *place != nullptr && most != 0;) {
      waiter& w = **place;
      if (!test(w)) {
        place = &w.next;
        continue;
      }
      take_out(place);
      --most;
      w.next = nullptr;
      *last_taken = &w;
      last_taken = &w.next;
    }
    return taken;
  }
  void take_out(waiter** place) noexcept {
    if (last_ == &(*place)->next) last_ = place;
    *place = (*place)->next;
    count_.fetch_sub(1, std::memory_order_relaxed);  // relaxed: one look more at worst
  }

  detail::short_lock lock_;
  waiter* first_ = nullptr;
  waiter** last_ = &first_;
  std::atomic<std::size_t> count_{0};
};

constexpr std::size_t all = ~std::size_t{0};

constinit std::array<waiting_list, 64> lists;

waiting_list& list_of(const void* address) noexcept {
  const auto bits = reinterpret_cast<std::uintptr_t>(address);
  return lists[(bits >> 4 ^ bits >> 10) % lists.size()];
}

}  // namespace

}  // namespace heist::inline v0::libtbb

namespace tbb::detail::r1 {

using namespace heist::libtbb;

class concurrent_monitor : public waiting_list {};

void wait_on_address(void* address, d1::delegate_base& has_ended, std::uintptr_t context) {
  waiting_list& list = list_of(address);
  waiter w{.address = address, .context = context};
  list.add(w);
  if (has_ended() && list.remove(w)) return;
  list.sleep(w);
}

void notify_by_address(void* address, std::uintptr_t context) {
  list_of(address).wake_after_exchange(
      [&](const waiter& w) { return w.address == address && w.context == context; }, all);
}
void notify_by_address_one(void* address) {
  list_of(address).wake_after_exchange([&](const waiter& w) { return w.address == address; }, 1);
}
void notify_by_address_all(void* address) {
  list_of(address).wake_after_exchange([&](const waiter& w) { return w.address == address; }, all);
}

// ---- Bounded queues: two monitors lie behind the queue's representation.

std::uint8_t* allocate_bounded_queue_rep(std::size_t bytes) {
  auto* const memory =
      static_cast<std::uint8_t*>(cache_aligned_allocate(bytes + 2 * sizeof(concurrent_monitor)));
  for (std::size_t i = 0; i < 2; ++i)
    new (memory + bytes + i * sizeof(concurrent_monitor)) concurrent_monitor;
  return memory;
}

void deallocate_bounded_queue_rep(std::uint8_t* memory, std::size_t bytes) {
  auto* const monitors = reinterpret_cast<concurrent_monitor*>(memory + bytes);
  abort_bounded_queue_monitors(monitors);
  for (std::size_t i = 0; i < 2; ++i) monitors[i].~concurrent_monitor();
  cache_aligned_deallocate(memory);
}

void abort_bounded_queue_monitors(concurrent_monitor* monitors) {
  for (std::size_t i = 0; i < 2; ++i) monitors[i].wake([](const waiter&) { return true; }, all, 2);
}

// The one that waits for the ticket `target` is woken by that one and by later ones.
void notify_bounded_queue_monitor(concurrent_monitor* monitors, std::size_t which,
                                  std::size_t ticket) {
  monitors[which].wake([&](const waiter& w) { return w.context <= ticket; }, all);
}

// Waits while the condition holds. It may throw, as it does when the queue is aborted.
void wait_bounded_queue_monitor(concurrent_monitor* monitors, std::size_t which,
                                std::ptrdiff_t target, d1::delegate_base& must_wait) {
  concurrent_monitor& list = monitors[which];
  for (;;) {
    waiter w{.address = nullptr, .context = static_cast<std::uintptr_t>(target)};
    list.add(w);
    bool is_over = false;
    try {
      is_over = !must_wait();
    } catch (...) {
      if (!list.remove(w)) list.sleep(w);
      throw;
    }
    if (is_over && list.remove(w)) return;
    if (list.sleep(w) == 2) throw_exception(exception_id::user_abort);
    if (is_over) return;
  }
}

}  // namespace tbb::detail::r1
