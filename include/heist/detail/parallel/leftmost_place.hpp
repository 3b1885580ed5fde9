// The leftmost of some places in a loop, where it threw or was stopped. What is to the right of it
// may not matter any more.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "heist/detail/requirements.hpp"

namespace heist::inline v0::detail {

// Relaxed: a worker that sees a place late runs a chunk in vain; what belongs to the place is
// passed on by joins.
class leftmost_place {
 public:
  [[nodiscard]] bool is_left_of(std::size_t place) const noexcept {
    return where_.load(std::memory_order_relaxed) < place;
  }
  [[nodiscard]] bool has_any() const noexcept { return is_left_of(SIZE_MAX); }
  void note(std::size_t place) noexcept {
    std::size_t seen = where_.load(std::memory_order_relaxed);
    while (place < seen && !where_.compare_exchange_weak(seen, place, std::memory_order_relaxed,
                                                         std::memory_order_relaxed)) {
    }
  }

 private:
  std::atomic<std::size_t> where_{SIZE_MAX};  // nowhere
};

}  // namespace heist::inline v0::detail
