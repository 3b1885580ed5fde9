#include "lab/experiments/bounds.hpp"

#include <algorithm>

namespace heist::lab {

bounds bounds_of(const measures& measured, std::uint64_t processors) {
  const auto p = static_cast<double>(processors);
  const auto work = static_cast<double>(measured.work);
  const auto span = static_cast<double>(measured.span);
  bounds result;
  result.processors = processors;
  result.least_time = std::max(work / p, span);
  result.greedy_time = work / p + span;
  result.most_speedup = work / result.least_time;
  result.sure_speedup = work / result.greedy_time;
  result.space = static_cast<double>(measured.stack_depth) * p;
  result.communication = p * span * (1 + static_cast<double>(measured.most_joins)) *
                         static_cast<double>(measured.largest_frame);
  return result;
}

}  // namespace heist::lab
