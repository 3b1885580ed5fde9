// The part of a barrier that doesn't depend on its completion function: its phases, and the
// waiters.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heist/detail/export.hpp"
#include "heist/detail/wait_checks.hpp"
#include "heist/detail/waiters.hpp"

namespace heist::inline v0::detail {

class HEIST_API barrier_phases {
 public:
  barrier_phases(std::ptrdiff_t expected, place made);
  barrier_phases(const barrier_phases&) = delete;
  barrier_phases& operator=(const barrier_phases&) = delete;

  struct arrival {
    std::uint64_t phase;
    bool was_last;  // then the caller must end the phase
  };
  arrival arrive(std::ptrdiff_t n, std::ptrdiff_t dropped);
  void end_phase() noexcept;
  void wait(std::uint64_t phase) noexcept;

 private:
  short_lock guard_;
  std::uint64_t phase_ = 0;  // guarded by guard_, as is the rest
  std::ptrdiff_t expected_;
  std::ptrdiff_t left_;
  waiter_list waiters_;
};

}  // namespace heist::inline v0::detail
