#include "tests/soak/program.hpp"

#include <sched.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <mutex>

#include "heist/stats.hpp"
#include "heist/sync/latch.hpp"
#include "tests/soak/construct.hpp"
#include "tests/soak/open_nodes.hpp"
#include "tests/soak/settings.hpp"
#include "tests/soak/watchdog.hpp"

namespace heist_soak {

std::atomic<std::uint64_t> progress{0};

namespace {

// One node in this many throws.
constexpr std::uint64_t fault_period = 911;

struct catalog {
  std::array<tally, 64> all{};
  std::size_t size = 0;
  std::array<std::size_t, 1024> draw{};  // indices into `all`, repeated by weight
  std::size_t weight = 0;

  catalog() {
    for (const auto family :
         {forks(), loops(), algorithms(), futures(), waits(), graphs(), pools(), stops()})
      for (const construct& c : family) {
        if (size == all.size() || weight + c.weight > draw.size()) std::abort();
        all[size].what = &c;
        for (unsigned i = 0; i < c.weight; ++i) draw[weight++] = size;
        ++size;
      }
  }
};

catalog& constructs() {
  static catalog c;
  return c;
}

tally& tally_at(const place& p) {
  catalog& c = constructs();
  for (std::uint64_t h = mixed(p.hash());; h = mixed(h)) {
    tally& drawn = c.all[c.draw[h % c.weight]];
    if (!p.is_calm || drawn.what->is != trait::waits) return drawn;
  }
}

bool is_leaf(const place& p) { return p.depth <= 0 || p.hash() % 11 == 0; }

// The place of its children.
place below(const place& p, const construct& c) {
  if (c.is == trait::serial) return p.calmed();
  return c.is == trait::stops ? p.strayed() : p;
}

// Most leaves are short, some are so long that thieves expose the work themselves, and a few yield
// the processor.
void work_of_a_leaf(std::uint64_t h) {
  const std::uint64_t turns = h % 97 == 0 ? 20'000 : h % 50;
  for (std::uint64_t i = 0; i < turns; ++i) asm volatile("");
  if (h % 211 == 0) sched_yield();
}

void wait_for_nobody() { heist::latch(1).wait(); }

}  // namespace

void fail(const char* what, std::uint64_t node) {
  std::fprintf(stderr, "heist_soak: %s at node %016llx\n", what,
               static_cast<unsigned long long>(node));
  std::fflush(nullptr);
  std::_Exit(1);
}

std::span<tally> tallies() { return std::span(constructs().all).first(constructs().size); }

const construct& construct_at(const place& p) { return *tally_at(p).what; }

unsigned children_at(const place& p, const construct& c) {
  return c.children + static_cast<unsigned>(mixed(p.hash() + 7) % (c.more + 1));
}

std::uint64_t place::part(std::uint64_t i) const { return mixed(grow(child(i)) + i); }

bool throws(const program& p, std::uint64_t node) {
  return p.is_faulty && mixed(node ^ p.seed) % fault_period == 0;
}

// The counts are relaxed, because they are read after the join, or as a hint.
std::uint64_t grow(const place& p) {
  progress.fetch_add(1, std::memory_order_relaxed);
  if (!p.is_stray) p.in.visits.fetch_add(1, std::memory_order_relaxed);
  const std::uint64_t h = p.hash();
  if (!p.is_stray && throws(p.in, p.node)) throw fault{p.node};
  if (is_leaf(p)) {
    const open_node here(p.node, p.depth, "a leaf");
    work_of_a_leaf(h);
    if (p.in.planted == plant::hang && h % 5 == 0) wait_for_nobody();
    return h;
  }
  tally& t = tally_at(p);
  t.runs.fetch_add(1, std::memory_order_relaxed);
  const unsigned n = children_at(p, *t.what);
  const open_node here(p.node, p.depth, t.what->name);
  const std::uint64_t sum = t.what->run(below(p, *t.what), n);
  if (p.in.planted == plant::twice && h % 5 == 0 && n != 0) static_cast<void>(p.part(0));
  return h + sum;
}

std::uint64_t expected(const place& p, std::uint64_t& nodes) {
  ++nodes;
  if (is_leaf(p)) return p.hash();
  const construct& c = construct_at(p);
  if (c.is == trait::stops) return p.hash();
  const place here = below(p, c);
  std::uint64_t sum = p.hash();
  for (unsigned i = 0; i < children_at(p, c); ++i) sum += mixed(expected(here.child(i), nodes) + i);
  return sum;
}

bool has_faults(const place& p) {
  if (throws(p.in, p.node)) return true;
  if (is_leaf(p)) return false;
  const construct& c = construct_at(p);
  if (c.is == trait::stops) return false;
  const place here = below(p, c);
  for (unsigned i = 0; i < children_at(p, c); ++i)
    if (has_faults(here.child(i))) return true;
  return false;
}

// ---- settings.hpp

namespace {

template <class Kind, std::size_t N>
bool parse_kind(std::optional<Kind>& into, const Kind (&all)[N], std::string_view name) {
  for (const Kind k : all)
    if (heist::to_string(k) == name) into = k;
  return into.has_value();
}

bool parse_workers(std::optional<unsigned>& into, std::string_view text) {
  unsigned n = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (problem != std::errc() || end != text.data() + text.size() || n == 0 || n > 1024)
    return false;
  into = n;
  return true;
}

// Draws one setting after the other.
class drawing {
 public:
  explicit drawing(std::uint64_t seed) : state_(seed) {}
  template <class T, std::size_t N>
  T from(const T (&all)[N]) {
    return all[(state_ = mixed(state_)) % N];
  }

 private:
  std::uint64_t state_;
};

}  // namespace

bool fixed_choices::parse(std::string_view text) {
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    text.remove_prefix(one.size() == text.size() ? text.size() : one.size() + 1);
    const std::size_t equals = one.find('=');
    if (equals == std::string_view::npos) return false;
    const std::string_view name = one.substr(0, equals);
    const std::string_view value = one.substr(equals + 1);
    const bool is_known =
        name == "workers"  ? parse_workers(workers, value)
        : name == "deque"  ? parse_kind(deque, heist::all_deque_kinds, value)
        : name == "join"   ? parse_kind(join, heist::all_join_kinds, value)
        : name == "spawn"  ? parse_kind(spawn, heist::all_spawn_kinds, value)
        : name == "victim" ? parse_kind(victim, heist::all_victim_kinds, value)
        : name == "idle"   ? parse_kind(idle, heist::all_idle_kinds, value)
        : name == "yield"  ? parse_kind(yield, heist::all_yield_kinds, value)
        : name == "stats"  ? parse_kind(stats, heist::all_stats_kinds, value)
                           : name == "order" && parse_kind(order, heist::all_queue_orders, value);
    if (!is_known) return false;
  }
  return true;
}

heist::pool_config draw_config(std::uint64_t seed, const fixed_choices& fixed) {
  constexpr unsigned workers[] = {1, 2, 3, 8, 32};
  // Most pools have room for all forks; in a shallow one some forks are calls.
  constexpr std::size_t depths[] = {0, 0, 0, 0, 0, 0, 2, 6};
  drawing draw(seed);
  heist::pool_config c;
  c.workers = fixed.workers.value_or(draw.from(workers));
  c.deque = fixed.deque.value_or(draw.from(heist::all_deque_kinds));
  c.join = fixed.join.value_or(draw.from(heist::all_join_kinds));
  c.spawn = fixed.spawn.value_or(draw.from(heist::all_spawn_kinds));
  c.victim = fixed.victim.value_or(draw.from(heist::all_victim_kinds));
  c.idle = fixed.idle.value_or(draw.from(heist::all_idle_kinds));
  c.fork_depth = draw.from(depths);
  c.order = fixed.order.value_or(draw.from(heist::all_queue_orders));
  // Mostly the default: the others make a pool of 32 workers on two processors slow.
  constexpr heist::yield_kind yields[] = {
      heist::yield_kind::paced,  heist::yield_kind::paced,     heist::yield_kind::paced,
      heist::yield_kind::paced,  heist::yield_kind::none,      heist::yield_kind::to_any,
      heist::yield_kind::to_any, heist::yield_kind::to_random, heist::yield_kind::to_all};
  c.yield = fixed.yield.value_or(draw.from(yields));
  constexpr heist::stats_kind stats[] = {heist::stats_kind::slow_path, heist::stats_kind::slow_path,
                                         heist::stats_kind::full};
  c.stats = fixed.stats.value_or(draw.from(stats));
  return c;
}

std::string as_arguments(const heist::pool_config& c) {
  std::string text = "workers=" + std::to_string(c.workers);
  for (const auto& [name, value] : {std::pair(",deque=", heist::to_string(c.deque)),
                                    {",join=", heist::to_string(c.join)},
                                    {",spawn=", heist::to_string(c.spawn)},
                                    {",victim=", heist::to_string(c.victim)},
                                    {",idle=", heist::to_string(c.idle)},
                                    {",yield=", heist::to_string(c.yield)},
                                    {",order=", heist::to_string(c.order)},
                                    {",stats=", heist::to_string(c.stats)}})
    text.append(name).append(value);
  return text;
}

// ---- watchdog.hpp

namespace {

constexpr auto tick = std::chrono::milliseconds(100);

}  // namespace

watchdog::watchdog(std::chrono::seconds patience, std::function<std::string()> what)
    : most_ticks_(static_cast<unsigned>(patience / tick)),
      what_(std::move(what)),
      thread_([this] { watch(); }) {}

watchdog::~watchdog() {
  over_.store(true, std::memory_order_relaxed);
  thread_.join();
}

// The watchdog counts its own ticks instead of using the clock, so that stopping the whole machine
// is not taken for a hang.
void watchdog::watch() const {
  std::uint64_t seen = progress.load(std::memory_order_relaxed);
  unsigned ticks = 0;
  while (!over_.load(std::memory_order_relaxed)) {
    std::this_thread::sleep_for(tick);
    const std::uint64_t now = progress.load(std::memory_order_relaxed);
    ticks = now == seen ? ticks + 1 : 0;
    seen = now;
    if (ticks < most_ticks_) continue;
    // The state is printed twice: whatever changes in between is not stuck.
    for (int i = 0; i < 2; ++i) {
      std::fprintf(stderr, "heist_soak: no progress for %u s: %s\n%snodes that have not ended:\n%s",
                   most_ticks_ / 10, what_().c_str(), heist::describe_pools().c_str(),
                   open_node::describe(60).c_str());
      std::this_thread::sleep_for(std::chrono::seconds(1));
    }
    std::fflush(nullptr);
    std::abort();
  }
}

// ---- open_nodes.hpp

namespace {

// There are several lists, so that two threads hardly ever compete for a lock.
struct list {
  std::mutex mutex;
  open_node* first = nullptr;  // guarded by mutex
};

std::array<list, 64>& lists() {
  static std::array<list, 64> all;
  return all;
}

list& list_of(std::uint64_t node) { return lists()[node % lists().size()]; }

}  // namespace

open_node::open_node(std::uint64_t node, int depth, const char* construct) noexcept
    : node_(node), depth_(depth), construct_(construct) {
  list& l = list_of(node_);
  const std::lock_guard hold(l.mutex);
  next_ = l.first;
  if (next_ != nullptr) next_->previous_ = this;
  l.first = this;
}

open_node::~open_node() {
  list& l = list_of(node_);
  const std::lock_guard hold(l.mutex);
  if (next_ != nullptr) next_->previous_ = previous_;
  (previous_ != nullptr ? previous_->next_ : l.first) = next_;
}

std::string open_node::describe(unsigned most) {
  std::string text;
  for (list& l : lists()) {
    const std::lock_guard hold(l.mutex);
    for (const open_node* n = l.first; n != nullptr && most != 0; n = n->next_, --most) {
      char line[128];
      std::snprintf(line, sizeof(line), "  node %016llx, %d above the leaves: %s\n",
                    static_cast<unsigned long long>(n->node_), n->depth_, n->construct_);
      text += line;
    }
  }
  return text;
}

}  // namespace heist_soak
