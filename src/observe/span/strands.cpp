#include "observe/span/strands.hpp"

#include <cstring>
#include <utility>

#include "heist/detail/sanitizers.hpp"
#include "heist/detail/scope_impl.hpp"
#include "runtime/core/fiber.hpp"
#include "runtime/fibers/slots.hpp"
#include "runtime/work/fork_join.hpp"

#if HEIST_ASAN
#include <sanitizer/lsan_interface.h>
#endif

namespace heist::inline v0::detail {

void free_strand(strand* s) noexcept { delete s; }

namespace strands {

namespace {

[[nodiscard]] bool is_spawner(const job& j) noexcept { return j.run == &resume_spawner; }

[[nodiscard]] strand& own(worker& w) noexcept { return of(*w.current.get()); }

// Forks at h or above were joined in some other way, if there are any.
void forget_from(strand& s, position h) noexcept {
  while (s.open != 0 && s.forks[s.open - 1]->at >= h) forget(s);
}

open_fork& add(strand& s, position h) {
  forget_from(s, h);
  if (s.open == s.forks.size()) s.forks.push_back(std::make_unique<open_fork>());
  open_fork& f = *s.forks[s.open++];
  f.at = h;
  f.region = s.region;
  if (s.record != nullptr) {
    f.parent = s.record;
    f.mark = s.record->now();
    f.first_thread = std::make_unique<dag_thread>();
    s.record = f.first_thread.get();
  }
  return f;
}

// A flow begins on this fiber.
void begin(strand& s) noexcept {
  s.open = 0;
  s.regions.clear();
  s.joined = nullptr;
  s.copied = 0;
  s.ends = nullptr;
  s.is_call = false;
  s.record = nullptr;
  s.begun.reset();
  s.detached = nullptr;
  s.small_child = nullptr;
}
void begin_thread(worker& w, strand& s) {
  if (!w.log->of.keeps_dag) return;
  s.begun = std::make_unique<dag_thread>();
  s.record = s.begun.get();
}

}  // namespace

strand& of(fiber& f) noexcept {
  if (f.measured != nullptr) return *f.measured;
  f.measured = new strand;
#if HEIST_ASAN
  // The default pool's fibers live until the process ends, in mappings that LeakSanitizer does not
  // search for pointers.
  __lsan_ignore_object(f.measured);
#endif
  return *f.measured;
}

bool stop(worker& w, strand& s) noexcept {
  if (!s.runs) return false;
  s.runs = false;
  work_log& log = *w.log;
  const std::uint64_t ticks = log.clock.since(log.of.rate, s.since);
  s.now.advance(s.region, ticks);
  log.work[s.region].add(ticks);
  if (s.record != nullptr) [[unlikely]]
    s.record->work(s.region, ticks);
  log.strands.add();
  return true;
}

void go(worker& w, strand& s) noexcept {
  s.runs = true;
  s.since = w.log->clock.next(w.log->of.rate);
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
  f.second = s.now;
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

void forget(strand& s) noexcept {
  open_fork& f = *s.forks[--s.open];
  if (f.first_thread == nullptr) return;
  s.record = f.parent;
  s.record->append(*f.first_thread);
  f.first_thread.reset();
}

joining_fork::joining_fork(strand& s, open_fork& f) noexcept
    : parent_(f.first_thread != nullptr ? f.parent : nullptr), mark_(f.mark) {
  --s.open;
  if (parent_ == nullptr) return;
  first_ = parent_->spawn(std::move(f.first_thread));
  s.record = parent_;
}

void joining_fork::end(worker& w, strand& s) const noexcept {
  if (parent_ == nullptr) return;
  s.record = parent_;
  parent_->join(*first_);
  parent_->collapse(mark_, w.log->of.leaf_ticks);
}

namespace {

void join_stolen(worker& w, strand& s, open_fork& f) noexcept {
  const joining_fork joining(s, f);
  if (s.record != nullptr && f.second_thread != nullptr) s.record->append(*f.second_thread);
  f.second_thread.reset();
  joining.end(w, s);
}

}  // namespace

job& run_joined(const job& j, open_fork& f) noexcept {
  worker& w = self_worker();
  strand& s = own(w);
  const span_path first = std::exchange(s.now, f.forked);
  s.region = f.region;
  const joining_fork joining(s, f);
  s.now.burdened += w.log->of.steal_ticks;
  if (s.copied == s.copies.size()) s.copies.push_back(std::make_unique<job>());
  job& copy = *s.copies[s.copied++];
  copy.run = j.run;
  copy.state.reset();
  copy.views = nullptr;
  std::memcpy(copy.payload, j.payload, sizeof(copy.payload));
  const job* const before = std::exchange(s.joined, &copy);
  go(w, s);
  copy.run(copy);
  worker& now = self_worker();  // it may be another one; the fiber is the same
  s.joined = before;
  s.now.burdened += now.log->of.suspend_ticks;
  s.now.follow(first);
  --s.copied;
  joining.end(now, s);
  return copy;
}

void receive(worker& w, open_fork& f) noexcept {
  strand& s = own(w);
  f.second.burdened += w.log->of.suspend_ticks;
  s.now.follow(f.second);
  join_stolen(w, s, f);
}

void receive_pushed(worker& w, open_fork& f, const scope_state* scope) noexcept {
  w.log->of.scopes.follow(scope, f.second);
  join_stolen(w, own(w), f);
}

void begin_job(worker& w, job& j) noexcept {
  if (is_spawner(j)) return;
  strand& s = own(w);
  begin(s);
  begin_thread(w, s);
  open_fork* f = j.fork;
  if (const auto aside = w.log->of.roots.take(&j)) f = aside->fork;
  w.log->steals.add();
  if (f == nullptr) {
    // Its fork is not known: its work counts, and the join takes it for nothing.
    w.log->of.note_not_covered(
        "some stolen functions, whose forks were not found: only their work");
    s.now = {};
    s.region = region_table::none;
    return go_afresh(w, s);
  }
  s.ends = f;
  s.now = f->forked;
  s.now.burdened += w.log->of.steal_ticks;
  s.region = f->region;
  go_afresh(w, s);
}

bool end_job(worker& w, const job& j) noexcept {
  strand& s = own(w);
  stop(w, s);
  if (s.joined == &j) return true;
  if (s.ends != nullptr) {
    s.ends->second = s.now;
    s.ends->second_thread = std::move(s.begun);
  }
  s.ends = nullptr;
  return false;
}

void begin_root(worker& w, const root& r) noexcept {
  strand& s = own(w);
  begin(s);
  const auto from = w.log->of.roots.take(&r);
  if (from && from->thread != nullptr)
    s.record = s.detached = from->thread;
  else
    begin_thread(w, s);
  s.now = from ? from->path : span_path{};
  s.region = from ? from->region : region_table::none;
  go_afresh(w, s);
}

void end_root(worker& w, const root* r) noexcept {
  strand& s = own(w);
  stop(w, s);
  if (r != nullptr)
    w.log->of.roots.put(r, s.now, s.region, s.begun.release());
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

void enter(worker* w, work_measurement& m, const root& r, root_kind kind) {
  const auto thread_of = [&](dag_thread* caller) -> dag_thread* {
    if (caller == nullptr || !m.keeps_dag || kind == root_kind::awaited) return nullptr;
    dag_thread* const t = caller->spawn(std::make_unique<dag_thread>());
    m.add_detached(t);
    return t;
  };
  if (w != nullptr && is_measured(*w)) {
    strand& s = own(*w);
    const bool ran = stop(*w, s);
    m.roots.put(&r, s.now, s.region, thread_of(s.record));
    if (ran) go(*w, s);
    return;
  }
  if (w != nullptr) return;
  m.change_outside(
      [&](outside_flow& here) { m.roots.put(&r, here.now, here.region, thread_of(&here.record)); });
}

void receive(worker* w, work_measurement& m, const root& r) {
  const auto end = m.roots.take(&r);
  if (!end) return;
  const std::unique_ptr<dag_thread> thread(end->thread);
  const auto follow = [&](span_path& now, dag_thread* record) {
    now.follow(end->path);
    if (thread != nullptr && record != nullptr) record->append(*thread);
  };
  if (w != nullptr && is_measured(*w))
    follow(own(*w).now, own(*w).record);
  else if (w == nullptr)
    m.change_outside([&](outside_flow& here) { follow(here.now, &here.record); });
}

void begin_child(worker& w) noexcept {
  const spawned& task = w.current.get()->task;
  fiber& spawner = *task.spawner;
  take_over(spawner);
  strand& above = of(spawner);
  stop(w, above);
  strand& s = own(w);
  begin(s);
  if (above.record != nullptr) {
    if ((task.scope->flags() & scope_state::measured) == 0)
      w.log->of.scopes.put_mark(task.scope, above.record, above.record->now());
    s.record = above.record->spawn(std::make_unique<dag_thread>());
  }
  task.scope->note_measured();
  above.now.burdened += w.log->of.fork_ticks;
  s.now = above.now;
  s.region = above.region;
  above.now.burdened += w.log->of.steal_ticks;
  hand_over(spawner);
}

namespace {

// A child that returned to its spawner. Many small ones that follow each other become one.
void end_thread(worker& w, strand& above, strand& child, const scope_state* scope) {
  work_measurement& m = w.log->of;
  if (child.record == nullptr) return m.scopes.follow(scope, child.now);
  dag_thread& t = *child.record;
  dag_thread* const before = above.small_scope == scope ? above.small_child : nullptr;
  const bool is_newest = above.record != nullptr && above.record->steps.back().child.get() == &t;
  if (before != nullptr && is_newest && before->total + t.total < m.leaf_ticks) {
    before->append(t);
    above.record->steps.pop_back();
    return m.scopes.follow(scope, child.now);
  }
  above.small_child = is_newest && t.total < m.leaf_ticks ? &t : nullptr;
  above.small_scope = scope;
  m.scopes.follow(scope, child.now, &t);
}

}  // namespace

void return_to_spawner(worker& w, fiber& spawner, const scope_state* scope) noexcept {
  take_over(spawner);
  strand& s = own(w);
  stop(w, s);
  strand& above = of(spawner);
  if (s.is_call) {
    above.now.follow(s.now);
    if (s.record != nullptr) above.record->join(*s.record);
  } else {
    end_thread(w, above, s, scope);
  }
  s.record = nullptr;
  go(w, above);
  hand_over(spawner);
}

void end_stolen_child(worker& w, const scope_state* scope) noexcept {
  strand& s = own(w);
  stop(w, s);
  w.log->of.scopes.follow(scope, s.now, std::exchange(s.record, nullptr));
}

void end_scope(worker& w, const scope_state* scope) noexcept {
  strand& s = own(w);
  const bool ran = stop(w, s);
  if (const auto last = w.log->of.scopes.take(scope)) {
    s.now.follow(last->path);
    if (s.record != nullptr) {
      for (dag_thread* const t : last->threads) s.record->join(*t);
      if (last->thread == s.record) s.record->collapse(last->mark, w.log->of.leaf_ticks);
    }
    s.small_child = nullptr;
  }
  if (ran) go(w, s);
}

}  // namespace strands

// ---- Joins: a function that was not stolen is run here, so that its end is seen.

job* notes::join_measured(worker& w, position h, bool throws) {
  strand& s = strands::of(*w.current.get());
  strands::stop(w, s);
  open_fork* const f = strands::find(s, h);
  job& j = slot_to_join(w, h);
  job* result = &j;
  std::uintptr_t how = job::pending;
  const bool has_waited = !take_back(w, h, j);
  if (has_waited) how = wait_for_stolen(h, j);
  if (how != job::pending) {
    if (f != nullptr) strands::receive(self_worker(), *f);
  } else if (f != nullptr && throws) {
    result = &strands::run_joined(j, *f);
    how = result->state.look();
  } else if (f != nullptr) {
    strands::forget(s);
  }
  if (has_waited)
    strands::go_afresh(self_worker(), s);
  else
    strands::go(self_worker(), s);
  return how == job::pending ? nullptr : taken_back_result(*result, how, throws);
}

void scope_state::run_measured_pushed() noexcept {
  strand& s = strands::of(*self_worker().current.get());
  const bool ran = strands::stop(self_worker(), s);
  open_fork* const f = strands::find(s, static_cast<position>(hot_path::depth()));
  job* const slot = join_child();
  if (f == nullptr) {
    if (slot != nullptr) run_apart(*slot);
  } else if (slot != nullptr) {
    strands::run_pushed_child(*f, this, [&] { run_apart(*slot); });
  } else {
    strands::receive_pushed(self_worker(), *f, this);
  }
  if (!ran) return;
  if (slot == nullptr)
    strands::go_afresh(self_worker(), s);
  else
    strands::go(self_worker(), s);
}

}  // namespace heist::inline v0::detail
