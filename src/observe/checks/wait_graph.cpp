#include "observe/checks/wait_graph.hpp"

#include <pthread.h>

#include <cstdio>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "heist/error.hpp"
#include "observe/checks/known_waits.hpp"
#include "observe/checks/wait_report.hpp"
#include "platform/process.hpp"
#include "platform/process_mutex.hpp"
#include "platform/thread.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/core/worker.hpp"

namespace heist::inline v0::detail {

constinit std::atomic<bool> checking_waits{false};

namespace {

constinit platform::process_mutex guard;
constinit known_waits* graph = nullptr;  // guarded, as is the next one
constinit unsigned generation = 0;

// Calls use(graph) under the lock. Whatever it has no memory for remains unknown: then a cycle may
// be missed.
template <class Use>
void with_graph(Use&& use) noexcept {
  const std::lock_guard hold(guard);
  try {
    const unsigned now = platform::process_generation();
    if (graph == nullptr || generation != now) {
      auto* const fresh = new known_waits;
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

// What is to be done about a cycle when the lock of the graph has been released.
struct verdict {
  std::string report{};
  wait_point* point = nullptr;  // the waiter's that was taken out of its list
};

// Refuses a wait of the cycle, the last one if possible.
verdict refuse_one(const known_waits& g, wait_record& last, const std::vector<edge>& cycle) {
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
verdict judge(known_waits& g, wait_record& last) {
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
  r.pool = self_worker().pool.config().name.c_str();  // a thread's own stack is of no pool
  r.scope = me.on->task.scope;
  r.runs = r.scope == nullptr ? me.on->ends : nullptr;
}

// True if it is in the graph now.
bool enter(wait_record& r) noexcept {
  bool is_new = false;
  verdict v;
  with_graph([&](known_waits& g) {
    is_new = g.add(r);
    if (is_new) v = judge(g, r);
  });
  carry_out(v);
  return is_new;
}

void leave(const wait_record& r) noexcept {
  with_graph([&](known_waits& g) { g.remove(r); });
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
  with_graph([&](known_waits& g) {
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
  // The one that takes the node out from now on ends the wait.
  if (!gave_up) point.wait(record_.what);
  with_graph([&](known_waits&) { record_.node = nullptr; });
  if (record_.has_given_up) throw deadlock(record_.cycle);
}

void forget_holds_slow(const fiber& f) noexcept {
  with_graph([&](known_waits& g) { g.forget_holds(&f); });
}

void note_thread_runs(const void* state) noexcept {
  if (!waits_are_checked()) return;
  with_graph([state](known_waits& g) { g.run(this_thread(), state); });
}

void note_made_slow(const void* object, place made) noexcept {
  with_graph([&](known_waits& g) { g.make(object, made); });
}

void name_object(const void* object, std::string_view name) noexcept {
  with_graph([&](known_waits& g) { g.name(object, name); });
}

void note_acquired(const void* lock, hold_kind kind) noexcept {
  const lock_hold hold = hold_of_caller(kind);
  with_graph([&](known_waits& g) { g.acquire(lock, hold); });
}

void note_released(const void* lock) noexcept {
  const flow me = this_flow().who;
  with_graph([&](known_waits& g) { g.release(lock, me); });
}

wait_counts count_waits() noexcept {
  wait_counts c;
  with_graph([&](const known_waits& g) { c = g.count(); });
  return c;
}

std::string name_of_awaited(const void* object) {
  std::string text;
  with_graph([&](const known_waits& g) { text = g.name_of(object); });
  return text;
}

std::string describe_waits() {
  std::string text;
  with_graph([&](const known_waits& g) { text = g.describe_all(); });
  return text;
}

}  // namespace heist::inline v0::detail
