// What a summary counts event by event: steals, jobs, waits, and passes through regions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "heist/log2_histogram.hpp"
#include "recording/summary.hpp"
#include "trace/sort_stably.hpp"

namespace heist::inline v0::trace {

inline constexpr std::size_t farthest = 1024;      // places between two workers
inline constexpr std::size_t most_waits = 10'000;  // that are told apart
inline constexpr std::size_t deepest = 1000;       // regions in each other

inline std::size_t bucket_of(double value) {
  constexpr double most = 1e18;
  return log2_histogram::bucket_of(static_cast<std::uint64_t>(std::ceil(std::min(value, most))));
}

inline void count_at(std::vector<std::uint64_t>& counts, std::size_t i) {
  if (counts.size() <= i) counts.resize(i + 1);
  ++counts[i];
}

inline spread spread_of(std::vector<float> values) {
  spread s;
  s.count = values.size();
  if (values.empty()) return s;
  for (const float v : values) {
    s.sum += v;
    count_at(s.buckets, bucket_of(v));
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  s.median = *middle;
  s.greatest = *std::max_element(values.begin(), values.end());
  return s;
}

inline void count_place(const log& of, const event& steal, summary& to) {
  if (steal.a >= of.lanes.size()) return;
  const lane& thief = of.lanes[steal.lane];
  const lane& victim = of.lanes[steal.a];
  if (!thief.is_worker || !victim.is_worker || thief.pool != victim.pool) return;
  const std::size_t places =
      std::max(thief.worker, victim.worker) - std::min(thief.worker, victim.worker);
  count_at(to.steal_places, std::min(places, farthest));
}

// What suspended functions wait for.
class wait_counter {
 public:
  void suspend(const event& e, std::uint32_t region) {
    // Joins, futures and the like are used once: each would have a line of its own.
    const bool is_lasting = e.b >= wait_mutex && e.b <= wait_condition && e.b != wait_future;
    const auto object = is_lasting && e.value > 0 && e.value < 0x1p63
                            ? static_cast<std::uint64_t>(e.value)
                            : std::uint64_t{0};
    open_[e.a] = {e.time_ns, {std::min<std::uint32_t>(e.b, last_kind), object, region}, e.name};
  }
  void resume(const event& e) {
    const auto at = open_.find(e.a);
    if (at == open_.end()) return;
    const auto [since, key, name] = at->second;
    open_.erase(at);
    const bool has_room = sums_.size() < most_waits || sums_.contains(key);
    wait_summary& sum = sums_[has_room ? key : wait_key{std::get<0>(key), 0, 0}];
    const std::uint64_t ns = e.time_ns - since;
    ++sum.count;
    sum.name = name;
    sum.sum_ns += ns;
    sum.greatest_ns = std::max(sum.greatest_ns, ns);
  }
  [[nodiscard]] std::vector<wait_summary> take() {
    std::vector<wait_summary> all;
    for (auto& [key, sum] : sums_) {
      std::tie(sum.kind, sum.object, sum.region) = key;
      all.push_back(sum);
    }
    sort_stably(all, [](const auto& x, const auto& y) { return x.sum_ns > y.sum_ns; });
    return all;
  }

 private:
  // As wait_kind (detail/waiting.hpp), which awaited_names follows.
  static constexpr std::uint32_t wait_mutex = 6, wait_future = 9, wait_condition = 15;
  static constexpr std::uint32_t last_kind = 16;
  static_assert(std::size(awaited_names) == last_kind + 1);
  using wait_key = std::tuple<std::uint32_t, std::uint64_t, std::uint32_t>;
  struct open_wait {
    std::uint64_t since_ns;
    wait_key key;
    std::uint32_t name;
  };
  std::unordered_map<std::uint32_t, open_wait> open_;
  std::map<wait_key, wait_summary> sums_;
};

// How long each pass through a region takes: Welford's sums.
class pass_counter {
 public:
  explicit pass_counter(std::size_t lanes) : open_(lanes) {}

  void begin(const event& e) {
    if (open_[e.lane].size() < deepest) open_[e.lane].emplace_back(e.name, e.time_ns);
  }
  // It may have begun on another thread, and others may have been left open on this one.
  void end(const event& e, std::vector<region_summary>& regions) {
    auto& here = open_[e.lane];
    const auto at = std::find_if(here.rbegin(), here.rend(),
                                 [&e](const auto& one) { return one.first == e.name; });
    if (at == here.rend()) return;
    region_summary& r = regions[e.name];
    const auto ns = static_cast<double>(e.time_ns - at->second);
    here.erase(at.base() - 1, here.end());
    ++r.passes;
    const double from_mean = ns - r.pass_mean_ns;
    r.pass_mean_ns += from_mean / static_cast<double>(r.passes);
    r.pass_deviation_ns += from_mean * (ns - r.pass_mean_ns);  // a sum of squares, until finish()
  }
  static void finish(region_summary& r) {
    r.pass_deviation_ns =
        r.passes > 1 ? std::sqrt(r.pass_deviation_ns / static_cast<double>(r.passes - 1)) : 0;
  }

 private:
  std::vector<std::vector<std::pair<std::uint32_t, std::uint64_t>>> open_;
};

// Counts the events, and keeps what their values are spread over.
class event_counter {
 public:
  event_counter(const log& of, summary& to)
      : of_(of),
        to_(to),
        passes_(of.lanes.size()),
        began_(of.lanes.size(), never),
        began_in_(of.lanes.size()),
        idle_since_(of.lanes.size(), never),
        parked_since_(of.lanes.size(), never) {}

  // `region`: in which the lane is; `regions`: of all, by number.
  void see(const event& e, std::uint32_t region, std::vector<region_summary>& regions) {
    lane_summary& l = to_.lanes[e.lane];
    ++to_.events[static_cast<std::size_t>(e.kind)];
    switch (e.kind) {
      case event_kind::steal:
        ++l.steals;
        steals_.push_back(static_cast<float>(e.value));
        depths_.push_back(static_cast<float>(e.b));
        count_place(of_, e, to_);
        break;
      case event_kind::idle_begin:
        idle_since_[e.lane] = e.time_ns;
        break;
      case event_kind::idle_end:
        if (idle_since_[e.lane] != never)
          spells_.push_back(static_cast<float>(e.time_ns - idle_since_[e.lane]));
        idle_since_[e.lane] = never;
        break;
      case event_kind::wake:
        // The call may have been for somebody else, and long ago: not before this one slept.
        if (e.value > 0 && parked_since_[e.lane] != never)
          wakes_.push_back(static_cast<float>(
              std::min(e.value, static_cast<double>(e.time_ns - parked_since_[e.lane]))));
        parked_since_[e.lane] = never;
        break;
      case event_kind::job_begin:
        ++l.jobs;
        began_in_[e.lane] = e.name;
        began_[e.lane] = e.a == static_cast<std::uint32_t>(job_source::stolen) ? e.time_ns : never;
        break;
      case event_kind::job_end:
        end_job(e, regions);
        break;
      case event_kind::resume:
        waits_.resume(e);
        end_job(e, regions);
        break;
      case event_kind::suspend:
        ++l.suspends;
        waits_.suspend(e, region);
        began_[e.lane] = never;
        break;
      case event_kind::region_begin:
        passes_.begin(e);
        break;
      case event_kind::region_end:
        passes_.end(e, regions);
        break;
      case event_kind::park:
        ++l.parks;
        parked_since_[e.lane] = e.time_ns;
        break;
      case event_kind::expose:
        ++l.exposes;
        break;
      default:
        break;
    }
  }
  void finish(std::vector<region_summary>& regions) {
    to_.steal_ns = spread_of(std::move(steals_));
    to_.wake_ns = spread_of(std::move(wakes_));
    to_.job_ns = spread_of(std::move(jobs_));
    to_.depth = spread_of(std::move(depths_));
    to_.spell_ns = spread_of(std::move(spells_));
    to_.waits = waits_.take();
    for (region_summary& r : regions) {
      pass_counter::finish(r);
      if (r.work_ns != 0 || r.entered != 0) to_.regions.push_back(r);
    }
    sort_stably(to_.regions, [](const auto& x, const auto& y) { return x.work_ns > y.work_ns; });
  }

 private:
  void end_job(const event& e, std::vector<region_summary>& regions) {
    const std::uint64_t since = std::exchange(began_[e.lane], never);
    if (since == never) return;
    const auto ns = static_cast<float>(e.time_ns - since);
    jobs_.push_back(ns);
    region_summary& r = regions[began_in_[e.lane]];
    ++r.jobs;
    r.short_jobs += ns <= short_job_ns ? 1 : 0;
  }

  static constexpr std::uint64_t never = ~std::uint64_t{0};
  const log& of_;
  summary& to_;
  wait_counter waits_;
  pass_counter passes_;
  std::vector<float> steals_, wakes_, jobs_, depths_, spells_;
  std::vector<std::uint64_t> began_;
  std::vector<std::uint32_t> began_in_;  // region
  std::vector<std::uint64_t> idle_since_, parked_since_;
};

}  // namespace heist::inline v0::trace
