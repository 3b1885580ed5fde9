// Who waits at a rendezvous, as its word holds that.
#pragma once

#include "heist/detail/rendezvous.hpp"
#include "runtime/core/fiber.hpp"

namespace heist::inline v0::detail {

struct blocked_thread;  // a thread outside any pool, while it waits

// The address of a fiber, or that of a thread, tagged.
class waiting_party {
 public:
  explicit waiting_party(fiber& f) noexcept : word_(reinterpret_cast<rendezvous::word>(&f)) {}
  explicit waiting_party(blocked_thread& t) noexcept
      : word_(reinterpret_cast<rendezvous::word>(&t) | thread_tag) {}
  // What settle() has answered: not pending.
  explicit waiting_party(rendezvous::word answered) noexcept : word_(answered) {}

  [[nodiscard]] rendezvous::word word() const noexcept { return word_; }
  [[nodiscard]] bool is_thread() const noexcept { return (word_ & thread_tag) != 0; }
  [[nodiscard]] fiber& as_fiber() const noexcept { return *reinterpret_cast<fiber*>(word_); }
  [[nodiscard]] blocked_thread& as_thread() const noexcept {
    return *reinterpret_cast<blocked_thread*>(word_ & ~thread_tag);
  }

 private:
  static constexpr rendezvous::word thread_tag = 4;
  static_assert(alignof(fiber) > thread_tag);

  rendezvous::word word_;
};

}  // namespace heist::inline v0::detail
