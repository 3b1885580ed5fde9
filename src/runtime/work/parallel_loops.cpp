// What a loop asks the runtime: how many workers could help, and whether one wants to.
#include "heist/detail/bad_range.hpp"
#include "heist/detail/parallel/split_loop.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "heist/error.hpp"
#include "heist/histogram.hpp"
#include "heist/partitioner.hpp"
#include "heist/pool.hpp"
#include "runtime/core/environment.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/core/worker.hpp"

namespace heist::inline v0::detail {

unsigned workers_outside() { return serial_elision() ? 1 : 0; }

bool wants_work() noexcept {
  worker* const w = this_worker();
  const control& c = current_control();
  if (w != nullptr && w->lock_checks != nullptr) [[unlikely]]
    w->lock_checks->look("across a loop");
  if (w == nullptr || w->alone || c.depth() >= c.capacity) return false;  // a fork would be a call
  // A request that is seen late is answered by the next chunk. Under stats_kind::full the limit is
  // passed without one.
  if (w->log != nullptr) return true;  // measured: the loop shows all its parallelism
  return w->uses_split() ? c.is_asked() : w->forks->is_empty();
}

namespace {

std::string name_of(endpoint e) {
  return e.is_signed ? std::to_string(static_cast<long long>(e.bits)) : std::to_string(e.bits);
}

}  // namespace

void throw_bad_range(const char* who, endpoint first, endpoint last) {
  std::string text =
      std::string(who) + ": there is no range from " + name_of(first) + " to " + name_of(last);
  if (first.is_signed && static_cast<std::int64_t>(first.bits) < 0 && !last.is_signed)
    text += ": the index has their common type, which is unsigned, so " + name_of(first) +
            " would be its largest number or near it";
  throw usage_error(text);
}

void throw_no_step(const char* who) {
  throw usage_error(std::string(who) + ": a step of 0: the index would never reach the end");
}

void throw_too_many() {
  throw usage_error("heist: an algorithm was given a range of 2^64 elements or more");
}

}  // namespace heist::inline v0::detail

// ---- The partitioners that remember what earlier loops were like; refusals of algorithms.

namespace heist::inline v0 {

namespace detail {

one_at_a_time::use::use(one_at_a_time& lock) : lock_(lock) {
  // Acquire: partner is the store in the destructor.
  if (lock_.taken_.exchange(true, std::memory_order_acquire))
    throw usage_error("a partitioner that remembers was given to two loops at once");
}

void throw_bad_bin(std::size_t bin, std::size_t bins) {
  throw usage_error("heist::histogram: there is no bin " + std::to_string(bin) + " of " +
                    std::to_string(bins));
}

}  // namespace detail

namespace {

// Cuts the costs into as many parts as to has beginnings, of equal sums.
template <class Costs>
void cut_evenly(const Costs& costs, std::vector<std::size_t>& to) {
  const std::size_t parts = to.size() - 1;
  const auto total = std::accumulate(costs.begin(), costs.end(), 0.0);
  double sum = 0;
  std::size_t c = 0;
  for (std::size_t i = 1; i < parts; ++i) {
    // What lies where the share ends goes to the side where the larger part of it lies.
    const double share = total * static_cast<double>(i) / static_cast<double>(parts);
    while (c < costs.size() && sum + static_cast<double>(costs[c]) / 2 < share)
      sum += static_cast<double>(costs[c++]);
    to[i] = c;
  }
  to[parts] = costs.size();
}

}  // namespace

std::vector<std::size_t> weighted_blocks::bounds(std::size_t n, unsigned workers) const {
  if (costs.size() != n)
    throw usage_error("weighted_blocks: " + std::to_string(costs.size()) + " costs for " +
                      std::to_string(n) + " iterations");
  for (std::size_t i = 0; i < n; ++i)
    if (!(costs[i] >= 0) || !std::isfinite(costs[i]))
      throw usage_error("weighted_blocks: the cost of iteration " + std::to_string(i) + " is " +
                        std::to_string(costs[i]) + ": must be finite and at least 0");
  std::vector<std::size_t> result(workers + std::size_t{1}, 0);
  cut_evenly(costs, result);
  return result;
}

std::vector<std::size_t> semi_static::bounds() const {
  std::vector<std::size_t> result;
  for (const std::size_t b : bounds_) result.push_back(cell(b));
  return result;
}

void semi_static::start(std::size_t n, unsigned workers) {
  n_ = 0;  // should an allocation throw, the next loop starts again
  costs_.assign(std::min(n, workers * cells_per_worker), 1);
  bounds_.assign(workers + std::size_t{1}, 0);
  n_ = n;
  round_ = 0;
  assign();
}

void semi_static::assign() { cut_evenly(costs_, bounds_); }

void affinity::start(std::size_t n, unsigned workers) {
  if (n != n_ || workers != workers_) {
    n_ = 0;  // should an allocation throw, the next loop starts again
    const std::size_t blocks = std::min(n, workers * blocks_per_worker);
    taken_ = std::vector<std::atomic<bool>>(blocks);
    homes_ = std::vector<std::atomic<int>>(blocks);
    for (std::size_t b = 0; b < blocks; ++b)
      homes_[b].store(static_cast<int>(b * workers / blocks), std::memory_order_relaxed);
    n_ = n;
    workers_ = workers;
  }
  for (auto& t : taken_) t.store(false, std::memory_order_relaxed);
}

std::vector<int> affinity::homes() const {
  std::vector<int> result;
  for (const auto& h : homes_) result.push_back(h.load(std::memory_order_relaxed));
  return result;
}

std::size_t affinity::take_block() noexcept {
  const auto take = [this](std::size_t b) {
    return !taken_[b].load(std::memory_order_relaxed) &&
           !taken_[b].exchange(true, std::memory_order_relaxed);
  };
  const int me = this_worker::index();
  const std::size_t blocks = homes_.size();
  for (std::size_t b = 0; b < blocks; ++b)
    if (homes_[b].load(std::memory_order_relaxed) == me && take(b)) return b;
  for (std::size_t b = blocks; b-- > 0;) {
    if (!take(b)) continue;
    homes_[b].store(me, std::memory_order_relaxed);
    return b;
  }
  return blocks;
}

}  // namespace heist::inline v0
