#include "observe/trace/trace_ring.hpp"

#include <algorithm>
#include <bit>

namespace heist::inline v0::detail {

void copy_events(const trace_ring& r, trace::lane& lane, std::vector<trace::event>& to) {
  const std::uint64_t end = r.done.load(std::memory_order_acquire);  // T2
  const std::uint64_t capacity = r.mask + 1;
  std::uint64_t first = std::max(r.first, end > capacity ? end - capacity : 0);
  const std::size_t begin = to.size();
  for (std::uint64_t n = first; n < end; ++n) {
    const std::uint64_t* const at = r.words.get() + 4 * (n & r.mask);
    const auto word = [at](int i) { return __atomic_load_n(at + i, __ATOMIC_RELAXED); };
    trace::event e;
    e.time_ns = word(0);
    e.value = std::bit_cast<double>(word(1));
    e.lane = r.lane;
    e.kind = static_cast<trace::event_kind>(word(2) & 0xffU);
    e.name = static_cast<std::uint32_t>(word(2) >> 32U);
    e.a = static_cast<std::uint32_t>(word(3) >> 32U);
    e.b = static_cast<std::uint32_t>(word(3));
    to.push_back(e);
  }
  std::atomic_thread_fence(std::memory_order_acquire);  // T2
  const std::uint64_t begun = r.begun.load(std::memory_order_relaxed);
  const std::uint64_t torn = begun > capacity ? std::min(begun - capacity, end) : 0;
  if (torn > first) {
    const auto dropped = static_cast<std::ptrdiff_t>(torn - first);
    to.erase(to.begin() + static_cast<std::ptrdiff_t>(begin),
             to.begin() + static_cast<std::ptrdiff_t>(begin) + dropped);
    first = torn;
  }
  lane.lost_events = first - r.first;
}

}  // namespace heist::inline v0::detail
