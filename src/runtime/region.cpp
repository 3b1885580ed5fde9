#include "heist/region.hpp"

#include "heist/detail/measured.hpp"
#include "runtime/strands.hpp"

namespace heist::inline v0::detail {

constinit std::atomic<unsigned> observers{0};

unsigned begin_region(const char* name) noexcept {
  const unsigned by = observers.load(std::memory_order_relaxed);
  if ((by & observed_for_work) != 0) strands::begin_region(name);
  return by;
}

void end_region(unsigned observed_by) noexcept {
  if ((observed_by & observed_for_work) != 0) strands::end_region();
}

}  // namespace heist::inline v0::detail
