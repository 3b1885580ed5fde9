#include "runtime/wait_graph.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <new>
#include <unordered_map>
#include <utility>
#include <vector>

#include "heist/error.hpp"
#include "heist/future.hpp"
#include "platform/fatal.hpp"
#include "platform/process.hpp"
#include "platform/process_mutex.hpp"
#include "platform/thread.hpp"
#include "runtime/pool_impl.hpp"
#include "runtime/wait_report.hpp"
#include "runtime/worker.hpp"

namespace heist::inline v0::detail {

constinit std::atomic<bool> checking_waits{false};

namespace {

// An edge, and how it is told: "held by", then the flow at its end.
struct edge {
  wait_record* to;
  const char* because;
};

constexpr bool is_lock(wait_kind k) noexcept {
  return k == wait_kind::mutex || k == wait_kind::shared_mutex_writer ||
         k == wait_kind::shared_mutex_reader;
}

class wait_graph {
 public:
  // A wait that has begun; false: this flow is known to wait. Throws std::bad_alloc.
  bool add(wait_record& r);
  void remove(const wait_record& r) noexcept;

  void make(const void* object, place made);
  void name(const void* object, std::string_view name);
  void acquire(const void* lock, const lock_hold& hold);
  void release(const void* lock, flow who) noexcept;
  void forget_holds(flow who) noexcept;
  void run(flow thread, const void* state);
  [[nodiscard]] const void* run_by(flow thread) const noexcept;

  // The waits of a cycle that contains `last`, from there on; empty: there is none.
  [[nodiscard]] std::vector<edge> find_cycle(wait_record& last) const;
  [[nodiscard]] std::string describe(const wait_record& r) const;
  [[nodiscard]] std::string describe_all() const;
  [[nodiscard]] wait_counts count() const noexcept;

  wait_graph* previous = nullptr;  // the parent process's, so that leak checkers find it

 private:
  [[nodiscard]] const object_record* known(const void* object) const noexcept;
  [[nodiscard]] wait_record* waiting(flow who) const noexcept;
  [[nodiscard]] static bool waits_behind(const wait_record& r, const object_record& lock,
                                         const lock_hold& hold) noexcept;
  template <class Visit>
  void each_edge(const wait_record& r, Visit&& visit) const;

  using records = std::unordered_multimap<const void*, wait_record*>;
  static void erase(records& from, const void* key, const wait_record& r) noexcept;

  std::unordered_map<const void*, object_record> objects_;
  std::unordered_map<flow, std::vector<const void*>> held_;
  std::unordered_map<flow, wait_record*> waiting_;
  records runners_;   // waiting flows by the state that they settle in the end
  records children_;  // likewise, by their scope
  std::unordered_map<flow, const void*> threads_run_;
  std::uint64_t changes_ = 0;
};

constinit platform::process_mutex guard;
constinit wait_graph* graph = nullptr;  // guarded, as is the next one
constinit unsigned generation = 0;

// Calls use(graph) under the lock. Whatever it has no memory for remains unknown: then a cycle may
// be missed.
template <class Use>
void with_graph(Use&& use) noexcept {
  const std::lock_guard hold(guard);
  try {
    const unsigned now = platform::process_generation();
    if (graph == nullptr || generation != now) {
      auto* const fresh = new wait_graph;
      fresh->previous = std::exchange(graph, fresh);
      generation = now;
    }
    use(*graph);
  } catch (const std::bad_alloc&) {
  }
}

// Not inlined: compilers take pthread_self() for constant, and a fiber may change its thread.
[[gnu::noinline]] flow this_thread() noexcept {
  return reinterpret_cast<flow>(::pthread_self());  // NOLINT: glibc's is an address
}

struct caller {
  flow who;
  const fiber* on;  // nullptr: a thread outside any pool
};

caller this_flow() noexcept {
  const worker* const w = this_worker();
  if (w == nullptr) return {this_thread(), nullptr};
  return {w->current.get(), w->current.get()};
}

lock_hold hold_of_caller(hold_kind kind) noexcept {
  const caller me = this_flow();
  if (me.on == nullptr) return {me.who, kind, nullptr, platform::thread_id()};
  return {me.who, kind, me.on->pool->config().name.c_str(), 0};
}

bool wait_graph::add(wait_record& r) {
  if (waiting_.contains(r.who)) return false;
  if (r.pool == nullptr) r.runs = run_by(r.who);
  try {
    if (r.what.is_timed) ++objects_[r.what.object].timed_waits;
    waiting_.emplace(r.who, &r);
    if (r.runs != nullptr) runners_.emplace(r.runs, &r);
    if (r.scope != nullptr) children_.emplace(r.scope, &r);
  } catch (...) {
    remove(r);
    throw;
  }
  ++changes_;
  return true;
}

void wait_graph::erase(records& from, const void* key, const wait_record& r) noexcept {
  const auto [first, last] = from.equal_range(key);
  for (auto i = first; i != last; ++i)
    if (i->second == &r) {
      from.erase(i);
      return;
    }
}

// In a child of fork() the graph may know nothing of it.
void wait_graph::remove(const wait_record& r) noexcept {
  const auto i = waiting_.find(r.who);
  if (i != waiting_.end() && i->second == &r) waiting_.erase(i);
  erase(runners_, r.runs, r);
  erase(children_, r.scope, r);
  if (r.what.is_timed)
    if (const auto o = objects_.find(r.what.object);
        o != objects_.end() && o->second.timed_waits != 0)
      --o->second.timed_waits;
  ++changes_;
}

void wait_graph::make(const void* object, place made) {
  object_record fresh;
  fresh.made = made;
  objects_.insert_or_assign(object, std::move(fresh));
}

void wait_graph::name(const void* object, std::string_view name) { objects_[object].name = name; }

void wait_graph::acquire(const void* lock, const lock_hold& hold) {
  objects_[lock].holds.push_back(hold);
  held_[hold.who].push_back(lock);
  ++changes_;
}

void wait_graph::release(const void* lock, flow who) noexcept {
  ++changes_;
  const auto o = objects_.find(lock);
  if (o == objects_.end() || o->second.holds.empty()) return;
  std::vector<lock_hold>& holds = o->second.holds;
  auto mine = std::find_if(holds.begin(), holds.end(),
                           [who](const lock_hold& h) { return h.who == who; });
  if (mine == holds.end()) {
    o->second.is_signal = true;
    mine = holds.begin();
  }
  if (const auto h = held_.find(mine->who); h != held_.end()) {
    if (const auto l = std::find(h->second.rbegin(), h->second.rend(), lock); l != h->second.rend())
      h->second.erase(std::next(l).base());
    if (h->second.empty()) held_.erase(h);
  }
  holds.erase(mine);
}

void wait_graph::forget_holds(flow who) noexcept {
  const auto h = held_.find(who);
  if (h == held_.end()) return;
  for (const void* lock : h->second)
    if (const auto o = objects_.find(lock); o != objects_.end())
      std::erase_if(o->second.holds, [who](const lock_hold& l) { return l.who == who; });
  held_.erase(h);
}

void wait_graph::run(flow thread, const void* state) {
  if (state == nullptr)
    threads_run_.erase(thread);
  else
    threads_run_[thread] = state;
}

const void* wait_graph::run_by(flow thread) const noexcept {
  const auto i = threads_run_.find(thread);
  return i == threads_run_.end() ? nullptr : i->second;
}

const object_record* wait_graph::known(const void* object) const noexcept {
  const auto i = objects_.find(object);
  return i == objects_.end() ? nullptr : &i->second;
}

wait_record* wait_graph::waiting(flow who) const noexcept {
  const auto i = waiting_.find(who);
  return i == waiting_.end() ? nullptr : i->second;
}

// W1.
bool wait_graph::waits_behind(const wait_record& r, const object_record& lock,
                              const lock_hold& hold) noexcept {
  if (lock.is_signal) return false;
  if (r.what.kind != wait_kind::shared_mutex_reader || hold.kind == hold_kind::exclusive)
    return true;
  return lock.timed_waits == 0 && r.node != nullptr && r.is_listed(r.owner, r.node);
}

template <class Visit>
void wait_graph::each_edge(const wait_record& r, Visit&& visit) const {
  if (r.what.is_timed || r.is_refused) return;
  const auto all_of = [&visit](const records& from, const void* key, const char* because) {
    const auto [first, last] = from.equal_range(key);
    for (auto i = first; i != last; ++i) visit(edge{i->second, because});
  };
  switch (r.what.kind) {
    case wait_kind::mutex:
    case wait_kind::shared_mutex_writer:
    case wait_kind::shared_mutex_reader: {
      const object_record* const lock = known(r.what.object);
      if (lock == nullptr) return;
      for (const lock_hold& h : lock->holds)
        if (wait_record* const to = waiting(h.who); to != nullptr && waits_behind(r, *lock, h))
          visit(edge{to, ", which is held by "});
      return;
    }
    case wait_kind::future: {
      const auto& result = *static_cast<const future_state*>(r.what.object);
      if (wait_record* const to = waiting(result.maker()); to != nullptr && !result.is_ready())
        visit(edge{to, ", which is made by "});
      return;
    }
    case wait_kind::join:
    case wait_kind::call:
    case wait_kind::blocking_call:
      return all_of(runners_, r.state, " for what is run by ");
    case wait_kind::scope:
      return all_of(children_, r.what.object, " for a child that is ");
    default:
      return;
  }
}

// Breadth first, from the last wait on. All other cycles have been found before.
std::vector<edge> wait_graph::find_cycle(wait_record& last) const {
  struct step {
    std::size_t from;  // the step before
    edge taken;
  };
  std::vector<step> steps{{0, {&last, ""}}};
  std::unordered_map<const wait_record*, bool> seen;
  for (std::size_t at = 0; at < steps.size(); ++at) {
    bool is_closed = false;
    each_edge(*steps[at].taken.to, [&](const edge& e) {
      if (is_closed || !seen.emplace(e.to, true).second) return;
      steps.push_back({at, e});
      is_closed = e.to == &last;
    });
    if (!is_closed) continue;
    std::vector<edge> cycle;
    for (std::size_t i = steps.size() - 1; i != 0; i = steps[i].from)
      cycle.push_back(steps[i].taken);
    std::reverse(cycle.begin(), cycle.end());
    return cycle;  // its last edge leads to `last`
  }
  return {};
}

std::string wait_graph::describe(const wait_record& r) const {
  return describe_flow(r.who, r.pool, r.thread) + " " + describe_wait(r.what, known(r.what.object));
}

std::string wait_graph::describe_all() const {
  constexpr std::size_t most_lines = 64;
  std::vector<std::string> lines;
  for (const auto& [who, r] : waiting_) {
    std::string& line = lines.emplace_back("  " + describe(*r));
    if (is_lock(r->what.kind)) {
      const object_record* const lock = known(r->what.object);
      if (lock == nullptr) continue;
      for (const lock_hold& h : lock->holds)
        line += (&h == lock->holds.data() ? ", which is held by " : " and ") +
                describe_flow(h.who, h.pool, h.thread);
    } else {
      each_edge(*r, [&line](const edge& e) {
        line += e.because + describe_flow(e.to->who, e.to->pool, e.to->thread);
      });
    }
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (std::size_t i = 0; i < lines.size() && i < most_lines; ++i) text += lines[i] + "\n";
  if (lines.size() > most_lines)
    text += "  and " + std::to_string(lines.size() - most_lines) + " more\n";
  return text;
}

wait_counts wait_graph::count() const noexcept {
  wait_counts c;
  c.changes = changes_;
  for (const auto& [who, r] : waiting_) {
    ++(r->pool == nullptr ? c.threads : c.fibers);
    c.timed += r->what.is_timed ? 1 : 0;
  }
  return c;
}

// What is to be done about a cycle when the lock of the graph has been released.
struct verdict {
  std::string report{};
  wait_point* point = nullptr;  // the waiter's that was taken out of its list
};

// Refuses a wait of the cycle, the last one if possible.
verdict refuse_one(const wait_graph& g, wait_record& last, const std::vector<edge>& cycle) {
  wait_record* refused = &last;
  std::string text = g.describe(last);
  std::string lines = "  " + text;
  for (const edge& e : cycle) {
    const std::string who = describe_flow(e.to->who, e.to->pool, e.to->thread);
    lines += e.because + who + "\n";
    text += e.because + who;
    if (e.to == &last) break;
    lines += "  " + g.describe(*e.to);
    text += "; " + g.describe(*e.to);
    if (!refused->can_be_refused) refused = e.to;
  }
  verdict v;
  v.report = "heist: deadlock, " +
             (cycle.size() == 1 ? std::string("a wait for itself")
                                : "a cycle of " + std::to_string(cycle.size()) + " waits") +
             ":\n" + lines + "heist: heist::deadlock is thrown in " +
             describe_flow(refused->who, refused->pool, refused->thread) + "\n";
  refused->cycle = "deadlock: " + text;
  refused->is_refused = true;
  if (refused->node != nullptr && refused->give_up(refused->owner, refused->node)) {
    refused->has_given_up = true;
    refused->node = nullptr;
    v.point = refused->point;
  }
  return v;
}

// Looks for a cycle through this wait and refuses one of its waits.
verdict judge(wait_graph& g, wait_record& last) {
  if (last.what.is_timed || last.is_refused) return {};
  const std::vector<edge> cycle = g.find_cycle(last);
  return cycle.empty() ? verdict{} : refuse_one(g, last, cycle);
}

void carry_out(const verdict& v) noexcept {
  if (!v.report.empty()) std::fputs(v.report.c_str(), stderr);
  if (v.point != nullptr) v.point->end();
}

void fill(wait_record& r, awaited what) noexcept {
  const caller me = this_flow();
  r.who = me.who;
  r.what = what;
  if (me.on == nullptr) {
    r.thread = platform::thread_id();
    return;
  }
  r.pool = me.on->pool->config().name.c_str();
  r.scope = me.on->task.scope;
  r.runs = r.scope == nullptr ? me.on->ends : nullptr;
}

// True if it is in the graph now.
bool enter(wait_record& r) noexcept {
  bool is_new = false;
  verdict v;
  with_graph([&](wait_graph& g) {
    is_new = g.add(r);
    if (is_new) v = judge(g, r);
  });
  carry_out(v);
  return is_new;
}

void leave(const wait_record& r) noexcept {
  with_graph([&](wait_graph& g) { g.remove(r); });
}

}  // namespace

void checked_wait::begin(const rendezvous& state, awaited what) noexcept {
  record_.emplace();
  fill(*record_, what);
  record_->state = &state;
  if (!enter(*record_)) record_.reset();
}

void checked_wait::end() noexcept { leave(*record_); }

refusable_wait::refusable_wait(awaited what) {
  fill(record_, what);
  record_.can_be_refused = true;
  enter(record_);
  if (!record_.is_refused) return;
  leave(record_);
  throw deadlock(record_.cycle);
}

refusable_wait::~refusable_wait() { leave(record_); }

void refusable_wait::wait(wait_point& point, void* owner, void* node,
                          wait_record::node_function give_up,
                          wait_record::node_function is_listed) {
  verdict v;
  bool gave_up = false;
  with_graph([&](wait_graph& g) {
    record_.owner = owner;
    record_.node = node;
    record_.give_up = give_up;
    record_.is_listed = is_listed;
    record_.point = &point;
    // Only now that it is listed has a reader among readers its edges.
    if (is_listed != nullptr) v = judge(g, record_);
    // It was refused before it was listed.
    if (record_.is_refused && !record_.has_given_up && give_up(owner, node)) {
      record_.has_given_up = true;
      record_.node = nullptr;
    }
    gave_up = record_.has_given_up;
  });
  if (v.point == &point) v.point = nullptr;  // this flow isn't suspended
  carry_out(v);
  // Whoever takes the node out from now on ends the wait.
  if (!gave_up) point.wait(record_.what);
  with_graph([&](wait_graph&) { record_.node = nullptr; });
  if (record_.has_given_up) throw deadlock(record_.cycle);
}

void forget_holds_slow(const fiber& f) noexcept {
  with_graph([&](wait_graph& g) { g.forget_holds(&f); });
}

void note_thread_runs(const void* state) noexcept {
  if (!waits_are_checked()) return;
  with_graph([state](wait_graph& g) { g.run(this_thread(), state); });
}

void note_made_slow(const void* object, place made) noexcept {
  with_graph([&](wait_graph& g) { g.make(object, made); });
}

void name_object(const void* object, std::string_view name) noexcept {
  with_graph([&](wait_graph& g) { g.name(object, name); });
}

void note_acquired(const void* lock, hold_kind kind) noexcept {
  const lock_hold hold = hold_of_caller(kind);
  with_graph([&](wait_graph& g) { g.acquire(lock, hold); });
}

void note_released(const void* lock) noexcept {
  const flow me = this_flow().who;
  with_graph([&](wait_graph& g) { g.release(lock, me); });
}

wait_counts count_waits() noexcept {
  wait_counts c;
  with_graph([&](const wait_graph& g) { c = g.count(); });
  return c;
}

std::string describe_waits() {
  std::string text;
  with_graph([&](const wait_graph& g) { text = g.describe_all(); });
  return text;
}

}  // namespace heist::inline v0::detail
