#include "heist/deque_series.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "heist/detail/parallel/pace.hpp"
#include "heist/error.hpp"
#include "platform/thread.hpp"
#include "runtime/core/deque_sizes.hpp"
#include "runtime/core/pool_impl.hpp"

namespace heist::inline v0 {

namespace {

using clock = std::chrono::steady_clock;

// A tick of a fast clock is shorter than what a comparison with a slow one can resolve.
constexpr auto least_calibration = std::chrono::milliseconds(2);

}  // namespace

// The samples: written by the observer's thread, read after it has been joined.
struct deque_observer::state {
  state(detail::pool_impl& p, std::size_t max_samples)
      : pool(p),
        deques(p.config().deque == deque_kind::shared_queue ? 1 : p.size()),
        times(max_samples),
        sizes(deques, std::vector<std::uint32_t>(max_samples)) {}

  void sample(std::size_t at) noexcept {
    times[at] = detail::ticks();
    for (unsigned d = 0; d < deques; ++d)
      sizes[d][at] = static_cast<std::uint32_t>(detail::deque_size(pool.at(d)));
  }
  // Relaxed: what the thread writes is read after its join.
  void observe() noexcept {
    platform::set_thread_name("heist-observer");
    while (taken < times.size() && !ends.load(std::memory_order_relaxed)) sample(taken++);
  }

  detail::pool_impl& pool;
  const unsigned deques;
  std::vector<std::uint64_t> times;
  std::vector<std::vector<std::uint32_t>> sizes;
  std::size_t taken = 0;
  std::atomic<bool> ends{false};
  const std::uint64_t first_tick = detail::ticks();
  const clock::time_point first_time = clock::now();
  std::thread thread;
};

deque_observer::deque_observer(pool& observed, std::size_t max_samples)
    : state_(std::make_unique<state>(*observed.impl_, max_samples)) {
  auto thread = platform::try_start_thread([s = state_.get()] { s->observe(); });
  if (!thread)
    throw resource_error(std::string("the system refused an observer's thread: ") +
                         std::strerror(errno));
  state_->thread = std::move(*thread);
}

deque_observer::~deque_observer() {
  if (state_ != nullptr) static_cast<void>(stop());
}

deque_series deque_observer::stop() {
  deque_series result;
  if (state_ == nullptr) return result;
  const std::unique_ptr<state> s = std::move(state_);
  s->ends.store(true, std::memory_order_relaxed);  // the join orders the rest
  s->thread.join();
  std::this_thread::sleep_until(s->first_time + least_calibration);
  const auto ticks = static_cast<double>(detail::ticks() - s->first_tick);
  result.ticks_per_second =
      ticks / std::chrono::duration<double>(clock::now() - s->first_time).count();
  result.is_cut = s->taken == s->times.size();
  s->times.resize(s->taken);
  for (auto& each : s->sizes) each.resize(s->taken);
  result.times = std::move(s->times);
  result.sizes = std::move(s->sizes);
  return result;
}

std::uint64_t deque_series::median_distance() const {
  if (times.size() < 2) return 0;
  std::vector<std::uint64_t> distances;
  distances.reserve(times.size() - 1);
  for (std::size_t i = 1; i < times.size(); ++i) distances.push_back(times[i] - times[i - 1]);
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

namespace {

class change_counter {
 public:
  void add(double u) noexcept {
    ++steps_;
    const double l = std::ceil(std::abs(u));
    if (l == 0) {
      ++at_[2];
      return;
    }
    const double share = std::abs(u) / l;
    at_[2] += 1 - share;
    if (l <= 2)
      at_[static_cast<std::size_t>(u < 0 ? 2 - l : 2 + l)] += share;
    else
      (u < 0 ? less_ : more_) += share;
  }
  void put_into(size_changes& result) const noexcept {
    result.steps = steps_;
    if (steps_ == 0) return;
    const auto all = static_cast<double>(steps_);
    for (std::size_t i = 0; i < at_.size(); ++i) result.probability[i] = at_[i] / all;
    result.less = less_ / all;
    result.more = more_ / all;
  }

 private:
  std::uint64_t steps_ = 0;
  std::array<double, 5> at_{};
  double less_ = 0, more_ = 0;
};

// The samples [begin, end), between which there is no pause, in steps.
void count_steps(const std::vector<std::uint64_t>& times, const std::vector<std::uint32_t>& sizes,
                 std::size_t begin, std::size_t end, double step, change_counter& to) {
  const auto at = [&](std::size_t i) { return static_cast<double>(times[i] - times[begin]); };
  const auto last_step = static_cast<std::uint64_t>(at(end - 1) / step);
  double before = sizes[begin];
  std::size_t i = begin;
  for (std::uint64_t n = 1; n <= last_step; ++n) {
    const double t = static_cast<double>(n) * step;
    while (i + 2 < end && at(i + 1) < t) ++i;
    const double width = at(i + 1) - at(i);
    const double part = width > 0 ? std::min((t - at(i)) / width, 1.0) : 1;
    const double size = sizes[i] + part * (static_cast<double>(sizes[i + 1]) - sizes[i]);
    to.add(size - before);
    before = size;
  }
}

size_changes changes_of_one(const deque_series& s, const std::vector<std::uint32_t>& sizes,
                            double step, std::uint64_t median) {
  size_changes result;
  if (s.times.empty()) return result;
  change_counter counter;
  const std::uint64_t pause = std::max<std::uint64_t>(median, 1) * size_changes::longest_pause;
  std::size_t begin = 0;
  for (std::size_t i = 1; i <= s.times.size(); ++i) {
    if (i < s.times.size() && s.times[i] - s.times[i - 1] <= pause) continue;
    if (i - begin > 1) count_steps(s.times, sizes, begin, i, step, counter);
    begin = i;
  }
  counter.put_into(result);
  double sum = 0;
  for (const std::uint32_t n : sizes) {
    sum += n;
    result.greatest_size = std::max(result.greatest_size, n);
  }
  result.mean_size = sum / static_cast<double>(sizes.size());
  const auto all = static_cast<double>(s.times.back() - s.times.front());
  result.covered = all > 0 ? std::min(static_cast<double>(result.steps) * step / all, 1.0) : 0;
  return result;
}

}  // namespace

std::vector<size_changes> changes_of(const deque_series& series, double step_ticks) {
  if (!(step_ticks > 0) || !std::isfinite(step_ticks))
    throw usage_error("changes_of: a step of " + std::to_string(step_ticks) +
                      " ticks: must be positive");
  std::vector<size_changes> result;
  const std::uint64_t median = series.median_distance();
  for (const auto& sizes : series.sizes)
    result.push_back(changes_of_one(series, sizes, step_ticks, median));
  return result;
}

}  // namespace heist::inline v0
