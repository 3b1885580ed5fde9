#include "heist/detail/short_lock.hpp"

#include "platform/cpu.hpp"
#include "platform/park.hpp"

namespace heist::inline v0::detail {

void short_lock::lock_slow() noexcept {
  constexpr int pauses = 64;  // about as long as a section takes
  for (int i = 0; i < pauses; ++i) {
    platform::pause();
    std::uint32_t seen = free;
    if (word_.load(std::memory_order_relaxed) == free &&
        word_.compare_exchange_weak(seen, held, std::memory_order_acquire,
                                    std::memory_order_relaxed))
      return;
  }
  // Acquire: partner in unlock().
  while (word_.exchange(held_and_wanted, std::memory_order_acquire) != free)
    platform::futex_wait(word_, held_and_wanted);
}

void short_lock::wake() noexcept { platform::futex_wake(word_, 1); }

}  // namespace heist::inline v0::detail
