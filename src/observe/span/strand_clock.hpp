// The clock of the work-and-span profile: a time stamp that is cheap to read, corrected by the
// thread's processor time where the system may have taken the processor away.
//
// A strand is timed by two time stamps. In between another thread may have had the processor, which
// is no work; only the system knows how long. Asking it for each strand would cost more than most
// strands take. But it takes a processor away for longer than `checked_ns`, so only a strand that
// seems to have taken that long can hide it: for these the thread's processor time is read, and
// what the stamps have counted beyond it since the last reading is taken off.
#pragma once

#include <cstdint>

#include "heist/detail/local.hpp"

namespace heist::inline v0::detail {

// How the process counts time stamps. Constant after find().
struct stamp_rate {
  bool is_counter = false;  // the processor's counter, which has a constant rate
  double ns_per_tick = 1;
  std::uint64_t read_ticks = 0;  // what two readings in a row differ by

  // Measures it, which takes 10 ms.
  static stamp_rate find() noexcept;
};

[[nodiscard]] std::uint64_t thread_cpu_ns() noexcept;
[[nodiscard]] std::uint64_t monotonic_ns() noexcept;

[[nodiscard]] inline std::uint64_t read_stamp([[maybe_unused]] const stamp_rate& rate) noexcept {
#if defined(__x86_64__)
  if (rate.is_counter) [[likely]]
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t t;
  asm volatile("mrs %0, cntvct_el0" : "=r"(t));
  return t;
#endif
  return monotonic_ns();
}

// Of one worker's thread, whatever fiber runs.
class strand_clock {
 public:
  static constexpr double checked_ns = 30'000;
  static constexpr double reread_ns = 2'000'000;  // an older reading isn't relied on

  // To be called when the worker begins something after it has looked for work.
  void begin(const stamp_rate& rate) noexcept {
    cpu_ns_ = thread_cpu_ns();
    ended_ = stamp_ = read_stamp(rate);
  }
  // The time stamp at which a strand begins soon after another one has ended. A processor that was
  // taken away between the two is nobody's loss, so it must not be taken off the next strand.
  [[nodiscard]] std::uint64_t next(const stamp_rate& rate) noexcept {
    const std::uint64_t now = read_stamp(rate);
    if (static_cast<double>(now - ended_) * rate.ns_per_tick < checked_ns) [[likely]]
      return now;
    begin(rate);
    return stamp_;
  }
  // The ticks from `since` to now in which the thread had a processor.
  [[nodiscard]] std::uint64_t since(const stamp_rate& rate, std::uint64_t since) noexcept {
    const std::uint64_t now = read_stamp(rate);
    ended_ = now;
    const std::uint64_t passed = now - since;
    const double ns = static_cast<double>(passed) * rate.ns_per_tick;
    if (ns < checked_ns) {
      if (static_cast<double>(now - stamp_) * rate.ns_per_tick > reread_ns) begin(rate);
      return without_reading(rate, passed);
    }
    return without_reading(rate, passed - lost(rate, now, passed));
  }

 private:
  static std::uint64_t without_reading(const stamp_rate& rate, std::uint64_t ticks) noexcept {
    return ticks > rate.read_ticks ? ticks - rate.read_ticks : 0;
  }
  // Of `passed` ticks up to `now`, those in which the thread had no processor.
  std::uint64_t lost(const stamp_rate& rate, std::uint64_t now, std::uint64_t passed) noexcept {
    const std::uint64_t cpu = thread_cpu_ns();
    const double by_stamps = static_cast<double>(now - stamp_) * rate.ns_per_tick;
    const double by_system = static_cast<double>(cpu - cpu_ns_);
    cpu_ns_ = cpu;
    stamp_ = read_stamp(rate);
    const double ns = by_stamps - by_system - tolerance * by_stamps - tolerance_ns;
    if (ns <= 0) return 0;
    const double ticks = ns / rate.ns_per_tick;
    return ticks < static_cast<double>(passed) ? static_cast<std::uint64_t>(ticks) : passed;
  }

  // By how much the two clocks may differ, as a share and by reading them one after the other.
  static constexpr double tolerance = 2e-4;
  static constexpr double tolerance_ns = 2000;

  local<std::uint64_t> stamp_{0};
  local<std::uint64_t> cpu_ns_{0};
  local<std::uint64_t> ended_{0};  // at the end of the last strand, or at begin()
};

}  // namespace heist::inline v0::detail
