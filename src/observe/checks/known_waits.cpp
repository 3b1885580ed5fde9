#include "observe/checks/known_waits.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string_view>
#include <utility>

#include "heist/future.hpp"
#include "observe/checks/wait_report.hpp"
#include "platform/program.hpp"

namespace heist::inline v0::detail {

namespace {

constexpr bool is_lock(wait_kind k) noexcept {
  return k == wait_kind::mutex || k == wait_kind::shared_mutex_writer ||
         k == wait_kind::shared_mutex_reader;
}

}  // namespace

bool known_waits::add(wait_record& r) {
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

void known_waits::erase(records& from, const void* key, const wait_record& r) noexcept {
  const auto [first, last] = from.equal_range(key);
  for (auto i = first; i != last; ++i)
    if (i->second == &r) {
      from.erase(i);
      return;
    }
}

// In a child of fork() the graph may know nothing of it.
void known_waits::remove(const wait_record& r) noexcept {
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

void known_waits::make(const void* object, place made) {
  object_record fresh;
  fresh.made = made;
  objects_.insert_or_assign(object, std::move(fresh));
}

void known_waits::name(const void* object, std::string_view name) { objects_[object].name = name; }

void known_waits::acquire(const void* lock, const lock_hold& hold) {
  objects_[lock].holds.push_back(hold);
  held_[hold.who].push_back(lock);
  ++changes_;
}

void known_waits::release(const void* lock, flow who) noexcept {
  ++changes_;
  const auto o = objects_.find(lock);
  if (o == objects_.end() || o->second.holds.empty()) return;
  std::vector<lock_hold>& holds = o->second.holds;
  auto mine =
      std::find_if(holds.begin(), holds.end(), [who](const lock_hold& h) { return h.who == who; });
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

void known_waits::forget_holds(flow who) noexcept {
  const auto h = held_.find(who);
  if (h == held_.end()) return;
  for (const void* lock : h->second)
    if (const auto o = objects_.find(lock); o != objects_.end())
      std::erase_if(o->second.holds, [who](const lock_hold& l) { return l.who == who; });
  held_.erase(h);
}

void known_waits::run(flow thread, const void* state) {
  if (state == nullptr)
    threads_run_.erase(thread);
  else
    threads_run_[thread] = state;
}

const void* known_waits::run_by(flow thread) const noexcept {
  const auto i = threads_run_.find(thread);
  return i == threads_run_.end() ? nullptr : i->second;
}

const object_record* known_waits::known(const void* object) const noexcept {
  const auto i = objects_.find(object);
  return i == objects_.end() ? nullptr : &i->second;
}

wait_record* known_waits::waiting(flow who) const noexcept {
  const auto i = waiting_.find(who);
  return i == waiting_.end() ? nullptr : i->second;
}

// W1.
bool known_waits::waits_behind(const wait_record& r, const object_record& lock,
                               const lock_hold& hold) noexcept {
  if (lock.is_signal) return false;
  if (r.what.kind != wait_kind::shared_mutex_reader || hold.kind == hold_kind::exclusive)
    return true;
  return lock.timed_waits == 0 && r.node != nullptr && r.is_listed(r.owner, r.node);
}

template <class Visit>
void known_waits::each_edge(const wait_record& r, Visit&& visit) const {
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
      return all_of(runners_, r.state, ", for what is run by ");
    case wait_kind::scope:
      return all_of(children_, r.what.object, ", for a child that is ");
    default:
      return;
  }
}

// Breadth first, from the last wait on. All other cycles have been found before.
std::vector<edge> known_waits::find_cycle(wait_record& last) const {
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

std::string known_waits::name_of(const void* object) const {
  const object_record* const r = known(object);
  if (r == nullptr) return "";
  if (r->made.file == nullptr) return r->name;
  const std::string made =
      "made at " + std::string(r->made.file) + ":" + std::to_string(r->made.line);
  return r->name.empty() ? made : r->name + ", " + made;
}

std::string known_waits::describe(const wait_record& r) const {
  return describe_flow(r.who, r.pool, r.thread) + " " + describe_wait(r.what, known(r.what.object));
}

std::string known_waits::describe_all() const {
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

wait_counts known_waits::count() const noexcept {
  wait_counts c;
  c.changes = changes_;
  for (const auto& [who, r] : waiting_) {
    ++(r->pool == nullptr ? c.threads : c.fibers);
    c.timed += r->what.is_timed ? 1 : 0;
  }
  return c;
}

}  // namespace heist::inline v0::detail

// ---- wait_report.hpp

namespace heist::inline v0::detail {

// In the order of wait_kind. heist-gdb.py reads them too.
constinit const char* const wait_texts[] = {
    "runs",
    "waits",
    "waits in a join",
    "waits at the end of a scope",
    "waits for a function in a pool",
    "waits for a call that may block",
    "waits for mutex",
    "waits to write under shared_mutex",
    "waits to read under shared_mutex",
    "waits for future",
    "waits to send to channel",
    "waits to receive from channel",
    "waits at latch",
    "waits for a permit of semaphore",
    "waits at barrier",
    "waits for a notification of condition_variable",
    "waits for task_group",
};
static_assert(std::size(wait_texts) == wait_kinds);

namespace {

std::string hex(const void* address) {
  char text[2 + 2 * sizeof(void*) + 1];
  std::snprintf(text, sizeof(text), "%p", address);
  return text;
}

std::string_view base_of(std::string_view path) noexcept {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// Of an object that no constructor has told of: a static one, which the compiler has initialised,
// lies in a loaded file.
std::string place_in_file(const void* object) {
  const platform::loaded_place found = platform::find_loaded_place(object);
  if (!found.symbol.empty()) return ", " + found.symbol;
  if (found.file.empty()) return {};
  char text[2 + 2 * sizeof(std::size_t) + 1];
  std::snprintf(text, sizeof(text), "0x%zx", found.offset);
  return ", in " + std::string(base_of(found.file)) + " at " + text;
}

}  // namespace

std::string describe_flow(flow who, const char* pool, pid_t thread) {
  if (pool == nullptr) return "thread " + std::to_string(thread);
  return "fiber " + hex(who) + " (pool \"" + pool + "\")";
}

std::string describe_wait(awaited what, const object_record* known) {
  std::string text(wait_texts[static_cast<std::size_t>(what.kind)]);
  if (what.kind >= wait_kind::mutex) {
    if (known != nullptr && !known->name.empty()) text += " \"" + known->name + "\"";
    text += " (" + hex(what.object);
    if (known != nullptr && known->made.file != nullptr)
      text += ", made at " + std::string(known->made.file) + ":" + std::to_string(known->made.line);
    else
      text += place_in_file(what.object);
    text += ")";
  }
  if (what.is_timed) text += " for a limited time";
  return text;
}

}  // namespace heist::inline v0::detail
