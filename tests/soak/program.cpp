#include "tests/soak/program.hpp"

#include <sched.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "heist/sync/latch.hpp"
#include "tests/soak/construct.hpp"
#include "tests/soak/open_nodes.hpp"

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

}  // namespace heist_soak
