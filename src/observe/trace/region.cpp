#include "heist/region.hpp"

#include "heist/trace.hpp"

#include "heist/detail/measured.hpp"
#include "observe/span/strands.hpp"
#include "observe/trace/tracing.hpp"

namespace heist::inline v0::detail {

constinit std::atomic<unsigned> observers{0};

unsigned begin_region(const char* name) noexcept {
  const unsigned by = observers.load(std::memory_order_relaxed);
  if ((by & observed_for_work) != 0) strands::begin_region(name);
  // Above the two bits of the observers: the region around it.
  return (by & observed_for_trace) == 0 ? by : by | tracing::begin_region(name) << 2U;
}

void end_region(unsigned observed_by) noexcept {
  if ((observed_by & observed_for_work) != 0) strands::end_region();
  if ((observed_by & observed_for_trace) != 0) tracing::end_region(observed_by >> 2U);
}

void note_counter(const char* name, double value) noexcept {
  if (tracing::is_on()) tracing::count(name, value);
}

}  // namespace heist::inline v0::detail
