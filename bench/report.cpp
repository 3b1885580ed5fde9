#include "bench/report.hpp"

namespace heist::bench {

bool target::met() const {
  if (!measured) return false;
  return kind == bound::at_most ? *measured <= limit : *measured >= limit;
}

}  // namespace heist::bench
