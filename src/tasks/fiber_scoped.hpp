// An object on a fiber's stack, of which the fiber knows the innermost one of its type. What runs
// on a fiber stays there; on a thread outside any pool, which stays the same, the thread knows it.
#pragma once

#include <utility>

#include "runtime/core/fiber.hpp"

namespace heist::inline v0::detail {

// The base of a T, which fiber::*Innermost points to.
template <class T, T* fiber::*Innermost>
class fiber_scoped {
 public:
  fiber_scoped(const fiber_scoped&) = delete;
  fiber_scoped& operator=(const fiber_scoped&) = delete;

  // Of that fiber; nullptr: of this thread, which is outside any pool.
  [[nodiscard]] static T* innermost(fiber* here) noexcept { return known_by(here); }

 protected:
  // `here`: the running fiber, or nullptr.
  explicit fiber_scoped(fiber* here) noexcept
      : known_(known_by(here)), outer_(std::exchange(known_, static_cast<T*>(this))) {}
  ~fiber_scoped() { known_ = outer_; }

  [[nodiscard]] const T* outer() const noexcept { return outer_; }

 private:
  static T*& known_by(fiber* here) noexcept {
    static constinit thread_local T* outside = nullptr;
    return here == nullptr ? outside : here->*Innermost;
  }

  T*& known_;
  T* const outer_;
};

}  // namespace heist::inline v0::detail
