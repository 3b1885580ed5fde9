#include "heist/cancellation.hpp"

#include "heist/detail/earliest_exception.hpp"
#include "heist/detail/waiters.hpp"

namespace heist::inline v0::detail {

void throw_cancelled(std::uint64_t done, std::uint64_t total) { throw cancelled(done, total); }

// ---- earliest_exception.hpp

void earliest_exception::keep(std::uint64_t number, std::exception_ptr thrown) noexcept {
  const holding hold(guard_);
  if (thrown_ && number_ < number) return;
  // The exception that is replaced isn't destroyed here, where nothing may wait, but with the
  // caller's copy.
  std::swap(thrown_, thrown);
  number_ = number;
  any_.store(true, std::memory_order_relaxed);  // see any()
}

}  // namespace heist::inline v0::detail
