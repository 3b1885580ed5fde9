// What a worker measures under stats_kind::timed: histograms, and the idle spell that it is in.
//
// Who writes what. The cells: the worker's thread, read by anyone; relaxed, as counter_cells.hpp
// says. The spell: used by the worker's thread only, whatever fiber runs.
//
// A spell begins with a search (begin_idle) and ends when the worker has something to run
// (end_idle, from worker::begin_running). One whose first search finds something is none. The
// reason is what the worker found when it last looked (look_why), between two searches or before it
// slept.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "heist/detail/local.hpp"
#include "heist/stats.hpp"
#include "runtime/core/counter_cells.hpp"

namespace heist::inline v0::detail {

using std_clock = std::chrono::steady_clock;

inline std::uint64_t nanoseconds_since(std_clock::time_point begin) noexcept {
  const auto took = std::chrono::nanoseconds(std_clock::now() - begin).count();
  return took > 0 ? static_cast<std::uint64_t>(took) : 0;
}

class histogram_cell {
 public:
  void add(std::uint64_t value) noexcept {
    counts_[log2_histogram::bucket_of(value)].add();
    sum_.add(value);
  }
  [[nodiscard]] log2_histogram get() const noexcept {
    log2_histogram h;
    for (std::size_t b = 0; b < log2_histogram::buckets; ++b) h.counts[b] = counts_[b].get();
    h.sum = sum_.get();
    return h;
  }

 private:
  std::array<counter_cell, log2_histogram::buckets> counts_;
  counter_cell sum_;
};

class histogram_cells {
 public:
  histogram_cell steal_ns, steal_depth, steal_places, wake_ns;
  std::array<counter_cell, std::size(all_steal_distances)> steals_by_distance;

  void begin_idle() noexcept {
    idle_since_ = std_clock::now();
    has_looked_ = false;
  }
  // Whether the worker, between two searches, should look for the reason: at first, and then before
  // it sleeps.
  [[nodiscard]] bool has_looked() const noexcept { return has_looked_; }
  void set_reason(idle_reason r) noexcept {
    reason_ = r;
    has_looked_ = true;
  }
  void end_idle() noexcept {
    if (!has_looked_) return;
    has_looked_ = false;
    idle_ns_[static_cast<std::size_t>(reason_.get())].add(nanoseconds_since(idle_since_));
  }
  // A guest leaves: what it would wait for is not for it any more.
  void forget_idle() noexcept { has_looked_ = false; }

  [[nodiscard]] pool_histograms get() const noexcept {
    pool_histograms h;
    h.steal_ns = steal_ns.get();
    h.steal_depth = steal_depth.get();
    h.steal_places = steal_places.get();
    for (std::size_t i = 0; i < h.steals_by_distance.size(); ++i)
      h.steals_by_distance[i] = steals_by_distance[i].get();
    h.wake_ns = wake_ns.get();
    for (std::size_t i = 0; i < h.idle_ns.size(); ++i) h.idle_ns[i] = idle_ns_[i].get();
    return h;
  }

 private:
  std::array<histogram_cell, std::size(all_idle_reasons)> idle_ns_;
  local<std_clock::time_point> idle_since_{};
  local<idle_reason> reason_{idle_reason::no_work};
  local<bool> has_looked_{false};
};

// From the decision to wake a worker to the first that is awake. Relaxed: a measurement.
class wake_timer {
 public:
  void begin() noexcept {
    began_.store(std_clock::now().time_since_epoch().count(), std::memory_order_relaxed);
  }
  // Nobody slept.
  void cancel() noexcept { began_.store(0, std::memory_order_relaxed); }
  void arrive(histogram_cell& at) noexcept {
    const std_clock::rep began = began_.exchange(0, std::memory_order_relaxed);
    if (began != 0) at.add(nanoseconds_since(std_clock::time_point(std_clock::duration(began))));
  }

 private:
  std::atomic<std_clock::rep> began_{0};
};

}  // namespace heist::inline v0::detail
