// Keeps, of several exceptions, the one that a serial run would have met first.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <utility>

#include "heist/detail/export.hpp"
#include "heist/detail/short_lock.hpp"

namespace heist::inline v0::detail {

class earliest_exception {
 public:
  // Relaxed: a thread that sees it late calls one more function.
  [[nodiscard]] bool any() const noexcept { return any_.load(std::memory_order_relaxed); }
  // The one with the smallest number is kept.
  HEIST_API void keep(std::uint64_t number, std::exception_ptr thrown) noexcept;
  // To be called when no other thread uses this any more.
  void rethrow() {
    if (thrown_) std::rethrow_exception(std::move(thrown_));
  }

 private:
  std::atomic<bool> any_{false};
  short_lock guard_;
  std::uint64_t number_ = 0;  // guarded by guard_, as is the next
  std::exception_ptr thrown_;
};

}  // namespace heist::inline v0::detail
