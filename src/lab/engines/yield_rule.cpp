#include "lab/engines/yield_rule.hpp"

#include <cstddef>
#include <utility>

namespace heist::lab {

std::string_view to_string(yield_policy policy) {
  switch (policy) {
    case yield_policy::none:
      return "none";
    case yield_policy::to_random:
      return "to-random";
    case yield_policy::to_all:
      return "to-all";
  }
  return {};
}

yield_rule::yield_rule(yield_policy policy, std::uint32_t processes, std::uint64_t seed)
    : policy_(policy),
      random_(seed, 2),
      last_run_(processes, 0),
      yielded_in_(processes, 0),
      target_(processes, 0),
      kept_in_(processes, 0) {}

void yield_rule::note_yield(std::uint32_t process, std::uint64_t step) {
  const auto processes = static_cast<std::uint32_t>(last_run_.size());
  if (policy_ == yield_policy::none || processes == 1) return;
  yielded_in_[process] = step;
  target_[process] = static_cast<std::uint32_t>(random_.below(processes));
}

bool yield_rule::may_run(std::uint32_t process) const {
  const auto since = yielded_in_[process];
  return since == 0 || last_run_[waits_for(process)] >= since;
}

// The process whose run this one waits for, where it may not run.
std::uint32_t yield_rule::waits_for(std::uint32_t process) const {
  if (policy_ == yield_policy::to_random) return target_[process];
  return process == least_recent_ ? second_least_recent_ : least_recent_;
}

void yield_rule::find_least_recent() {
  const auto processes = static_cast<std::uint32_t>(last_run_.size());
  if (processes == 1) return;
  const auto is_earlier = [this](std::uint32_t a, std::uint32_t b) {
    return last_run_[a] < last_run_[b];
  };
  least_recent_ = is_earlier(1, 0) ? 1 : 0;
  second_least_recent_ = 1 - least_recent_;
  for (std::uint32_t p = 2; p < processes; ++p) {
    if (is_earlier(p, least_recent_))
      second_least_recent_ = std::exchange(least_recent_, p);
    else if (is_earlier(p, second_least_recent_))
      second_least_recent_ = p;
  }
}

// The process that another one waits for yielded earlier or not at all, so following those links
// ends.
void yield_rule::keep(std::uint64_t step, std::vector<std::uint32_t>& chosen) {
  if (policy_ != yield_policy::none) {
    find_least_recent();
    std::size_t kept = 0;
    for (auto process : chosen) {
      while (!may_run(process)) process = waits_for(process);
      if (std::exchange(kept_in_[process], step) != step) chosen[kept++] = process;
    }
    chosen.resize(kept);
  }
  for (const auto process : chosen) last_run_[process] = step;
}

}  // namespace heist::lab
