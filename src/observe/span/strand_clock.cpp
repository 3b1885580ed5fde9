#include "observe/span/strand_clock.hpp"

#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace heist::inline v0::detail {

namespace {

std::uint64_t read_clock(clockid_t which) noexcept {
  timespec t{};
  ::clock_gettime(which, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(t.tv_nsec);
}

// Whether the counter runs at one rate, in all states of the processor.
bool has_constant_counter() noexcept {
#if defined(__x86_64__)
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  constexpr unsigned invariant = 1U << 8U;
  return __get_cpuid(0x80000007U, &a, &b, &c, &d) != 0 && (d & invariant) != 0;
#elif defined(__aarch64__)
  return true;
#else
  return false;
#endif
}

}  // namespace

std::uint64_t thread_cpu_ns() noexcept { return read_clock(CLOCK_THREAD_CPUTIME_ID); }
std::uint64_t monotonic_ns() noexcept { return read_clock(CLOCK_MONOTONIC); }

stamp_rate stamp_rate::find() noexcept {
  stamp_rate rate;
  rate.is_counter = has_constant_counter();
  if (rate.is_counter) {
    constexpr std::uint64_t measured_ns = 10'000'000;
    const std::uint64_t first_ns = monotonic_ns();
    const std::uint64_t first = read_stamp(rate);
    std::uint64_t last_ns = first_ns;
    while (last_ns - first_ns < measured_ns) last_ns = monotonic_ns();
    const std::uint64_t last = read_stamp(rate);
    rate.ns_per_tick = static_cast<double>(last_ns - first_ns) / static_cast<double>(last - first);
  }
  constexpr int readings = 1000;
  std::uint64_t sum = 0;
  for (int i = 0; i < readings; ++i) {
    const std::uint64_t first = read_stamp(rate);
    sum += read_stamp(rate) - first;
  }
  rate.read_ticks = sum / readings;
  return rate;
}

}  // namespace heist::inline v0::detail
