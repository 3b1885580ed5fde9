#include "observe/span/work_measurement.hpp"

#include <algorithm>
#include <utility>

#include "heist/detail/measured.hpp"
#include "heist/error.hpp"
#include "heist/fork_join.hpp"
#include "heist/pool.hpp"
#include "observe/span/work_span_text.hpp"
#include "platform/json_text.hpp"
#include "platform/process.hpp"
#include "platform/process_mutex.hpp"

namespace heist::inline v0 {

namespace detail {

namespace {

constinit platform::process_mutex current_mutex;
// Never destroyed: pools may outlive the program's statics.
union measurement_place {
  constexpr measurement_place() noexcept : value() {}
  ~measurement_place() {}
  std::shared_ptr<work_measurement> value;
};
constinit measurement_place the_current;
std::shared_ptr<work_measurement>& current_place() noexcept { return the_current.value; }

std::uint64_t ticks_in(double ns, const stamp_rate& rate) {
  return static_cast<std::uint64_t>(ns / rate.ns_per_tick);
}

}  // namespace

region_number region_table::inside(region_number around, const char* name) {
  const std::lock_guard hold(mutex_);
  for (region_number r = around; r != none; r = all_[r].around)
    if (all_[r].name == name) return around;
  const auto [place, is_new] = numbers_.try_emplace({around, name}, around);
  if (is_new && all_.size() < most) {
    place->second = static_cast<region_number>(all_.size());
    all_.push_back({around, name, all_[around].depth + 1});
  }
  return place->second;
}

std::vector<region_table::entry> region_table::all() const {
  const std::lock_guard hold(mutex_);
  return all_;
}

work_measurement::work_measurement(const work_span_options& options, const stamp_rate& at,
                                   std::uint64_t overhead_ticks)
    : costs(options.costs),
      rate{at.is_counter, at.ns_per_tick, overhead_ticks},
      fork_ticks(ticks_in(costs.fork_ns, rate)),
      steal_ticks(ticks_in(costs.steal_ns, rate)),
      suspend_ticks(ticks_in(costs.suspend_ns, rate)),
      keeps_dag(options.keep_dag),
      dag_work(options.dag_work),
      leaf_ticks(ticks_in(options.dag_leaf_ns, rate)),
      process_(platform::process_generation()) {}

namespace {

// The thread that finds out what an empty strand takes: its pool is measured by that trial.
constinit std::atomic<pthread_t> trying{0};
constinit std::atomic<bool> somebody_tries{false};

std::uint64_t median_of_trials(work_measurement& trial) {
  constexpr int forks = 500;
  constexpr std::size_t trials = 9;
  std::array<std::uint64_t, trials> each{};
  pool one({.workers = 1, .name = "measures"});
  for (std::uint64_t& ticks : each) {
    const auto before = trial.collect_strands();
    one.run([] {
      for (int i = 0; i < forks; ++i) fork_join([] {}, [] {});
    });
    const auto after = trial.collect_strands();
    ticks = (after.ticks - before.ticks) / (after.strands - before.strands);
  }
  std::sort(each.begin(), each.end());
  return each[trials / 2];
}

}  // namespace

bool work_measurement::is_tried_here() noexcept {
  // Relaxed, both: a thread reads what it has written itself, or anything else.
  return somebody_tries.load(std::memory_order_relaxed) &&
         trying.load(std::memory_order_relaxed) == ::pthread_self();
}

std::shared_ptr<work_measurement> work_measurement::make(const work_span_options& options) {
  const stamp_rate rate = stamp_rate::find();
  const auto trial = std::make_shared<work_measurement>(work_span_options{}, rate, 0);
  trying.store(::pthread_self(), std::memory_order_relaxed);
  somebody_tries.store(true, std::memory_order_relaxed);
  set_current(trial);
  std::uint64_t overhead = rate.read_ticks;
  try {
    overhead = std::max(overhead, median_of_trials(*trial));
  } catch (...) {
    somebody_tries.store(false, std::memory_order_relaxed);
    set_current(nullptr);
    throw;
  }
  somebody_tries.store(false, std::memory_order_relaxed);
  set_current(nullptr);
  return std::make_shared<work_measurement>(options, rate, overhead);
}

work_measurement::strand_sums work_measurement::collect_strands() {
  const std::lock_guard hold(mutex_);
  strand_sums sums;
  for (const work_log& log : logs_) {
    sums.strands += log.strands.get();
    for (const counter_cell& ticks : log.work) sums.ticks += ticks.get();
  }
  return sums;
}

std::shared_ptr<work_measurement> work_measurement::current() {
  const std::lock_guard hold(current_mutex);
  const auto& found = current_place();
  // A child of fork() is another program: it has none of the threads that are measured.
  return found != nullptr && found->process_ == platform::process_generation() ? found : nullptr;
}

void work_measurement::set_current(std::shared_ptr<work_measurement> m) {
  const std::lock_guard hold(current_mutex);
  if (m != nullptr)
    observers.fetch_or(observed_for_work, std::memory_order_relaxed);
  else
    observers.fetch_and(~observed_for_work, std::memory_order_relaxed);
  current_place() = std::move(m);
}

work_log& work_measurement::add_log() {
  const std::lock_guard hold(mutex_);
  return logs_.emplace_back(*this);
}

outside_flow& work_measurement::outside() {
  const std::lock_guard hold(outside_mutex_);
  return outside_[::pthread_self()];
}

void work_measurement::begin_outside() {
  outside_flow& here = outside();
  const std::lock_guard hold(outside_mutex_);
  here.cpu_ns = thread_cpu_ns();
}

void work_measurement::bring_up_to_date(outside_flow& here) const {
  const std::uint64_t cpu = thread_cpu_ns();
  // A new thread can have the number of one that has ended; its processor time begins anew.
  if (cpu > here.cpu_ns) {
    const std::uint64_t ticks = ticks_in(static_cast<double>(cpu - here.cpu_ns), rate);
    here.now.advance(here.region, ticks);
    here.work += ticks;
    here.own_work.add(here.region, ticks);
    if (keeps_dag) here.record.work(here.region, ticks);
  }
  here.cpu_ns = cpu;
}

void work_measurement::bring_up_to_date_if_known() {
  const std::lock_guard hold(outside_mutex_);
  const auto found = outside_.find(::pthread_self());
  if (found != outside_.end()) bring_up_to_date(found->second);
}

void work_measurement::note_end(const span_path& path) {
  const std::lock_guard hold(mutex_);
  last_end_.follow(path);
}

void work_measurement::note_not_covered(const char* what) {
  const std::lock_guard hold(mutex_);
  if (std::find(not_covered_.begin(), not_covered_.end(), what) == not_covered_.end())
    not_covered_.push_back(what);
}

void work_measurement::fill_regions(work_span& result, const span_path& last) const {
  const double seconds = rate.ns_per_tick * 1e-9;
  const std::vector<region_table::entry> known = regions.all();
  std::vector<work_span_region> all(known.size());
  for (std::size_t r = 1; r < known.size(); ++r)
    all[r].name = known[r].around == region_table::none
                      ? known[r].name
                      : all[known[r].around].name + "/" + known[r].name;
  const auto add = [&](const work_log& log) {
    for (std::size_t r = 0; r < known.size(); ++r) {
      all[r].own_work += static_cast<double>(log.work[r].get()) * seconds;
      all[r].entries += log.inclusive[r].entries.get();
      all[r].span += static_cast<double>(log.inclusive[r].span.get()) * seconds;
      all[r].burdened_span += static_cast<double>(log.inclusive[r].burdened.get()) * seconds;
    }
  };
  add(outside_log_);
  for (const work_log& log : logs_) add(log);
  last.regions.each([&](region_number r, std::uint64_t ticks) {
    all[r].on_path += static_cast<double>(ticks) * seconds;
  });
  result.regions = std::move(all);
}

void work_measurement::add_detached(dag_thread* t) {
  const std::lock_guard hold(mutex_);
  detached_.insert(t);
}
bool work_measurement::take_detached(dag_thread* t) {
  const std::lock_guard hold(mutex_);
  return detached_.erase(t) != 0;
}

std::string work_measurement::make_dag(const std::vector<work_span_region>& known) {
  std::vector<std::string> names;
  for (const work_span_region& r : known) names.push_back(platform::json_text(shown(r.name)));
  if (outside_.size() == 1)
    return dag_text(outside_.begin()->second.record, names, rate.ns_per_tick, dag_work);
  dag_thread all;
  for (auto& [thread, here] : outside_) {
    auto t = std::make_unique<dag_thread>();
    t->append(here.record);
    static_cast<void>(all.spawn(std::move(t)));
  }
  return dag_text(all, names, rate.ns_per_tick, dag_work);
}

work_span work_measurement::collect() {
  bring_up_to_date_if_known();
  const double seconds = rate.ns_per_tick * 1e-9;
  work_span result;
  result.costs = costs;
  result.clock_ns = static_cast<double>(rate.read_ticks) * rate.ns_per_tick;
  const std::lock_guard hold_outside(outside_mutex_);
  const std::lock_guard hold(mutex_);
  span_path last = last_end_;
  for (const auto& [thread, here] : outside_) {
    last.follow(here.now);
    result.outside += static_cast<double>(here.work) * seconds;
  }
  fill_regions(result, last);
  for (const work_log& log : logs_) {
    result.forks += log.forks.get();
    result.spawns += log.spawns.get();
    result.steals += log.steals.get();
    result.strands += log.strands.get();
    result.refused += log.refused.get();
  }
  // Regions of threads outside have their own work, which no log has.
  for (const auto& [thread, here] : outside_)
    here.own_work.each([&](region_number r, std::uint64_t ticks) {
      result.regions[r].own_work += static_cast<double>(ticks) * seconds;
    });
  for (const work_span_region& r : result.regions) result.work += r.own_work;
  for (work_span_region& r : result.regions) r.work = r.own_work;
  const std::vector<region_table::entry> known = regions.all();
  for (std::size_t r = known.size(); r-- > 1;)
    if (known[r].around != region_table::none)
      result.regions[known[r].around].work += result.regions[r].work;
  result.span = static_cast<double>(last.span) * seconds;
  result.burdened_span = static_cast<double>(last.burdened) * seconds;
  result.regions[0].name = "outside all regions";
  result.regions[0].span = result.span;
  result.regions[0].burdened_span = result.burdened_span;
  if (keeps_dag) {
    result.dag = make_dag(result.regions);
    if (result.dag.empty())
      result.not_covered.emplace_back("the DAG: it has more than a million nodes");
  }
  for (const char* const what : not_covered_) result.not_covered.emplace_back(what);
  return result;
}

}  // namespace detail

void start_work_span(const work_span_options& options) {
  if (detail::work_measurement::current() != nullptr)
    throw usage_error("start_work_span: a measurement runs already");
  auto made = detail::work_measurement::make(options);
  made->begin_outside();
  detail::work_measurement::set_current(std::move(made));
}

work_span stop_work_span() {
  const auto measured = detail::work_measurement::current();
  if (measured == nullptr) throw usage_error("stop_work_span: no measurement runs");
  detail::work_measurement::set_current(nullptr);
  return measured->collect();
}

double work_span::most_speedup(unsigned processors) const noexcept {
  return std::min(static_cast<double>(processors), parallelism());
}

double work_span::least_speedup(unsigned processors) const noexcept {
  if (work <= 0) return 1;
  const double p = processors;
  constexpr double per_span = 1.7;  // Cilkview's estimate of what a scheduler makes of the span
  return std::min(most_speedup(processors),
                  work / (work / p + per_span * (1 - 1 / p) * burdened_span));
}

}  // namespace heist::inline v0
