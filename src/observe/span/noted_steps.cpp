// What constructs above the scheduler tell a measurement: regions, futures, and the steps of task
// graphs and pipelines.
#include <utility>

#include "heist/detail/measured.hpp"
#include "observe/span/strands.hpp"
#include "runtime/core/fiber.hpp"

namespace heist::inline v0::detail {

namespace strands {

namespace {

[[nodiscard]] strand& own(worker& w) noexcept { return of(*w.current.get()); }

}  // namespace

namespace {

[[nodiscard]] worker* measured_worker() noexcept {
  worker* const w = this_worker();
  return w != nullptr && is_measured(*w) && w->current.get() != nullptr ? w : nullptr;
}

}  // namespace

bool measures_here() noexcept { return measured_worker() != nullptr; }

void put_before(const void* key) noexcept {
  worker* const w = measured_worker();
  if (w == nullptr) return;
  strand& s = own(*w);
  const bool ran = stop(*w, s);
  w->log->of.steps.follow(key, s.now, s.region);
  if (ran) go(*w, s);
}

void begin_step(const void* key) noexcept {
  worker* const w = measured_worker();
  if (w == nullptr) return;
  strand& s = own(*w);
  stop(*w, s);
  if (const auto before = w->log->of.steps.get(key)) {
    s.now = before->path;
    s.region = before->region;
  }
  s.now.burdened += w->log->of.steal_ticks;
  go(*w, s);
}

void follow_step(const void* key) noexcept {
  worker* const w = measured_worker();
  if (w == nullptr) return;
  strand& s = own(*w);
  const bool ran = stop(*w, s);
  if (const auto before = w->log->of.steps.get(key)) s.now.follow(before->path);
  if (ran) go(*w, s);
}

void end_step() noexcept {
  if (worker* const w = measured_worker()) stop(*w, own(*w));
}

void forget_step(const void* key) noexcept {
  if (worker* const w = measured_worker()) static_cast<void>(w->log->of.steps.take(key));
}

void note_not_in_dag(const char* what) noexcept {
  worker* const w = measured_worker();
  if (w != nullptr && w->log->of.keeps_dag) w->log->of.note_not_covered(what);
}

void note_not_covered(const char* what) noexcept {
  if (worker* const w = measured_worker()) w->log->of.note_not_covered(what);
}

namespace {

// Not the number of a region: the sums of the one around it have this part already.
constexpr region_number counted_outside = ~region_number{0};

// Begins and ends a region in the strand of a fiber, or in a thread's flow outside.
template <class Flow>
void begin(Flow& f, region_table& regions, const char* name) {
  const region_number r = regions.inside(f.region, name);
  f.regions.push_back({r == f.region ? counted_outside : r, f.region, f.now.span, f.now.burdened});
  f.region = r;
}
template <class Flow>
void end(Flow& f, work_log& log) {
  if (f.regions.empty()) return;  // it began before the measurement
  const auto ended = f.regions.back();
  f.regions.pop_back();
  f.region = ended.around;
  if (ended.region == counted_outside) return;
  work_log::region_sums& sums = log.inclusive[ended.region];
  sums.entries.add();
  sums.span.add(f.now.span - ended.span);
  sums.burdened.add(f.now.burdened - ended.burdened);
}

// Calls change(here, log) with what belongs to the calling thread, up to now.
template <class Change>
void change_flow(Change&& change) {
  worker* const w = this_worker();
  if (w != nullptr) {
    if (!is_measured(*w) || w->current.get() == nullptr) return;
    strand& s = own(*w);
    const bool ran = stop(*w, s);
    change(s, *w->log);
    if (ran) go(*w, s);
  } else if (const auto m = work_measurement::current()) {
    m->change_outside([&](outside_flow& here) { change(here, m->outside_log()); });
  }
}

dag_thread* detached_thread(const strand& s) noexcept { return s.detached; }
dag_thread* detached_thread(const outside_flow&) noexcept { return nullptr; }
dag_thread* record_of(const strand& s) noexcept { return s.record; }
dag_thread* record_of(outside_flow& here) noexcept { return &here.record; }

}  // namespace

void begin_region(const char* name) noexcept {
  change_flow([&](auto& here, work_log& log) { begin(here, log.of.regions, name); });
}
void end_region() noexcept {
  change_flow([](auto& here, work_log& log) { end(here, log); });
}

}  // namespace strands

void note_result_made(const void* future) noexcept {
  strands::change_flow([&](auto& here, work_log& log) {
    dag_thread* const thread = strands::detached_thread(here);
    log.of.futures.put(future, here.now, here.region, thread);
  });
}

void note_result_taken(const void* future) noexcept {
  strands::change_flow([&](auto& here, work_log& log) {
    const auto made = log.of.futures.get(future);
    if (!made) return;
    here.now.follow(made->path);
    dag_thread* const t = made->thread;
    if (t != nullptr && t != strands::detached_thread(here) && log.of.take_detached(t))
      strands::record_of(here)->join(*t);
  });
}

}  // namespace heist::inline v0::detail
