#include "runtime/strands.hpp"

#include <utility>

#include "heist/detail/measured.hpp"
#include "heist/detail/scope_impl.hpp"
#include "runtime/fiber.hpp"

namespace heist::inline v0::detail {

void free_strand(strand* s) noexcept { delete s; }

namespace strands {

namespace {

[[nodiscard]] bool is_spawner(const job& j) noexcept { return j.run == &resume_spawner; }

[[nodiscard]] strand& own(worker& w) noexcept { return of(*w.current.get()); }

// Forks at h or above were joined in some other way, if there are any.
void forget_from(strand& s, position h) noexcept {
  while (s.open != 0 && s.forks[s.open - 1]->at >= h) --s.open;
}

open_fork& add(strand& s, position h) {
  forget_from(s, h);
  if (s.open == s.forks.size()) s.forks.push_back(std::make_unique<open_fork>());
  open_fork& f = *s.forks[s.open++];
  f.at = h;
  f.region = s.region;
  return f;
}

}  // namespace

strand& of(fiber& f) noexcept {
  if (f.measured == nullptr) f.measured = new strand;
  return *f.measured;
}

bool stop(worker& w, strand& s) noexcept {
  if (!s.runs) return false;
  s.runs = false;
  work_log& log = *w.log;
  const std::uint64_t ticks = log.clock.since(log.of.rate, s.since);
  s.now.advance(s.region, ticks);
  log.work[s.region].add(ticks);
  log.strands.add();
  return true;
}

void go(worker& w, strand& s) noexcept {
  s.runs = true;
  s.since = read_stamp(w.log->of.rate);
}

void go_afresh(worker& w, strand& s) noexcept {
  w.log->clock.begin(w.log->of.rate);
  go(w, s);
}

pushed_kind before_push(worker& w, job& j, position h) noexcept {
  if (is_spawner(j)) {
    begin_child(w);
    return pushed_kind::spawner;
  }
  strand& s = own(w);
  stop(w, s);
  open_fork& f = add(s, h);
  s.now.burdened += w.log->of.fork_ticks;
  f.forked = s.now;
  j.fork = &f;
  return pushed_kind::fork;
}

void after_push(worker& w, pushed_kind kind, position h, bool pushed) noexcept {
  strand& s = own(w);
  if (!pushed) {
    w.log->refused.add();
    if (kind == pushed_kind::spawner)
      s.is_call = true;
    else
      forget_from(s, h);
  } else if (kind == pushed_kind::spawner) {
    w.log->spawns.add();
  } else {
    w.log->forks.add();
  }
  go(w, s);
}

open_fork* find(strand& s, position h) noexcept {
  forget_from(s, h + 1);
  return s.open != 0 && s.forks[s.open - 1]->at == h ? s.forks[s.open - 1].get() : nullptr;
}

void run_joined(job& j, open_fork& f) noexcept {
  worker& w = self_worker();
  strand& s = own(w);
  const span_path first = std::exchange(s.now, f.forked);
  s.region = f.region;
  forget(s);  // what the job forks lies in the same place
  s.now.burdened += w.log->of.steal_ticks;
  const job* const before = std::exchange(s.joined, &j);
  go(w, s);
  j.run(j);
  // The worker may be another one now; the fiber is the same.
  s.joined = before;
  s.now.burdened += self_worker().log->of.suspend_ticks;
  s.now.follow(first);
}

void receive(worker& w, open_fork& f) noexcept {
  strand& s = own(w);
  f.second.burdened += w.log->of.suspend_ticks;
  s.now.follow(f.second);
  --s.open;
}

void begin_job(worker& w, job& j) noexcept {
  if (is_spawner(j)) return;
  strand& s = own(w);
  s.open = 0;
  s.regions.clear();
  s.joined = nullptr;
  open_fork* f = j.fork;
  if (const auto aside = w.log->of.roots.take(&j)) f = aside->fork;
  s.ends = f;
  s.now = f->forked;
  s.now.burdened += w.log->of.steal_ticks;
  s.region = f->region;
  w.log->steals.add();
  go_afresh(w, s);
}

bool end_job(worker& w, const job& j) noexcept {
  strand& s = own(w);
  stop(w, s);
  if (s.joined == &j) return true;
  if (s.ends != nullptr) s.ends->second = s.now;
  s.ends = nullptr;
  return false;
}

void begin_root(worker& w, const root& r) noexcept {
  strand& s = own(w);
  s.open = 0;
  s.regions.clear();
  s.joined = nullptr;
  s.ends = nullptr;
  const auto from = w.log->of.roots.take(&r);
  s.now = from ? from->path : span_path{};
  s.region = from ? from->region : region_table::none;
  go_afresh(w, s);
}

void end_root(worker& w, const root* r) noexcept {
  strand& s = own(w);
  stop(w, s);
  if (r != nullptr)
    w.log->of.roots.put(r, s.now, s.region);
  else
    w.log->of.note_end(s.now);
}

void resume_stolen(worker& w, fiber& spawner) noexcept {
  w.log->steals.add();
  go_afresh(w, of(spawner));
}

void leave_behind(work_measurement& m, job& j) {
  if (!is_spawner(j)) m.roots.put_fork(&j, j.fork);
}

void take_from_behind(worker& w, const job& j) noexcept {
  static_cast<void>(w.log->of.roots.take(&j));
}

void enter(worker* w, work_measurement& m, const root& r) {
  if (w != nullptr && is_measured(*w)) {
    strand& s = own(*w);
    const bool ran = stop(*w, s);
    m.roots.put(&r, s.now, s.region);
    if (ran) go(*w, s);
    return;
  }
  if (w != nullptr) return;
  m.change_outside([&](const outside_flow& flow) { m.roots.put(&r, flow.now, flow.region); });
}

void receive(worker* w, work_measurement& m, const root& r) {
  const auto end = m.roots.take(&r);
  if (!end) return;
  if (w != nullptr && is_measured(*w))
    own(*w).now.follow(end->path);
  else if (w == nullptr)
    m.change_outside([&](outside_flow& flow) { flow.now.follow(end->path); });
}

void begin_child(worker& w) noexcept {
  const spawned& task = w.current.get()->task;
  fiber& spawner = *task.spawner;
  take_over(spawner);
  task.scope->note_measured();
  strand& above = of(spawner);
  stop(w, above);
  strand& s = own(w);
  s.open = 0;
  s.regions.clear();
  s.joined = nullptr;
  s.ends = nullptr;
  s.is_call = false;
  above.now.burdened += w.log->of.fork_ticks;
  s.now = above.now;
  s.region = above.region;
  above.now.burdened += w.log->of.steal_ticks;
  hand_over(spawner);
}

void return_to_spawner(worker& w, fiber& spawner, const scope_state* scope) noexcept {
  take_over(spawner);
  strand& s = own(w);
  stop(w, s);
  strand& above = of(spawner);
  if (s.is_call)
    above.now.follow(s.now);
  else
    w.log->of.scopes.follow(scope, s.now);
  go(w, above);
  hand_over(spawner);
}

void end_stolen_child(worker& w, const scope_state* scope) noexcept {
  strand& s = own(w);
  stop(w, s);
  w.log->of.scopes.follow(scope, s.now);
}

void end_scope(worker& w, const scope_state* scope) noexcept {
  strand& s = own(w);
  const bool ran = stop(w, s);
  if (const auto last = w.log->of.scopes.take(scope)) s.now.follow(last->path);
  if (ran) go(w, s);
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

// Calls change(flow, log) with what belongs to the calling thread, up to now.
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
    m->change_outside([&](outside_flow& flow) { change(flow, m->outside_log()); });
  }
}

}  // namespace

void begin_region(const char* name) noexcept {
  change_flow([&](auto& flow, work_log& log) { begin(flow, log.of.regions, name); });
}
void end_region() noexcept {
  change_flow([](auto& flow, work_log& log) { end(flow, log); });
}

}  // namespace strands

void note_result_made(const void* future) noexcept {
  strands::change_flow([&](auto& flow, work_log& log) {
    log.of.futures.put(future, flow.now, flow.region);
  });
}

void note_result_taken(const void* future) noexcept {
  strands::change_flow([&](auto& flow, work_log& log) {
    if (const auto made = log.of.futures.get(future)) flow.now.follow(made->path);
  });
}

}  // namespace heist::inline v0::detail
