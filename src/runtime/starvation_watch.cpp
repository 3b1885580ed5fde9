#include "runtime/starvation_watch.hpp"

#include <utility>

#include "runtime/live_pools.hpp"
#include "runtime/pool_impl.hpp"

namespace heist::inline v0::detail {

namespace {

constexpr std::array<const char*, entry_census::levels> names{
    "functions that can continue", "forks that their functions left behind",
    "functions of priority high", "functions of priority normal", "functions of priority low"};

// Relaxed: a report.
unsigned running_workers(pool_impl& p) noexcept {
  unsigned n = 0;
  for (unsigned i = 0; i < p.size(); ++i)
    if (p.at(i).doing.load(std::memory_order_relaxed) == worker_state::running) ++n;
  return n;
}

}  // namespace

std::string starvation_watch::look() {
  std::string text;
  std::unordered_map<const pool_impl*, records> seen;
  const time now = std::chrono::steady_clock::now();
  live_pools::for_each([&](pool_impl& p) {
    const auto before = pools_.find(&p);
    records& known = seen[&p];
    if (before != pools_.end()) known = before->second;
    text += look_at(p, known, now);
  });
  pools_ = std::move(seen);
  return text;
}

std::string starvation_watch::look_at(pool_impl& p, records& known, time now) const {
  std::string text;
  const entry_census here = p.injection().census();
  for (unsigned l = 0; l < entry_census::levels; ++l) {
    record& r = known[l];
    if (r.since == time{} || !here.waits[l] || here.taken[l] != r.taken[l]) {
      r = {now, here.taken, false};
      continue;
    }
    const auto waited = now - r.since;
    if (waited <= longest_ || r.is_told) continue;
    r.is_told = true;
    std::string others;
    for (unsigned o = 0; o < entry_census::levels; ++o)
      if (const std::uint64_t n = here.taken[o] - r.taken[o]; n != 0)
        others += (others.empty() ? " " : ", ") + std::to_string(n) + " " + names[o];
    if (others.empty())
      others = " nothing: " + std::to_string(running_workers(p)) + " of " +
               std::to_string(p.size()) + " workers run functions that neither end nor wait";
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(waited).count();
    text += "heist: pool \"" + p.config().name + "\": " + names[l] + " have waited for " +
            std::to_string(ms) + " ms, and none was begun;\nheist: meanwhile its workers took" +
            others + "\n";
  }
  return text;
}

}  // namespace heist::inline v0::detail
