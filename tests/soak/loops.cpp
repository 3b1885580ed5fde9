// parallel_for with every partitioner, blocks, and values that loops add to.
#include <vector>

#include "heist/heist.hpp"
#include "tests/soak/construct.hpp"

namespace heist_soak {
namespace {

// Relaxed, because the loop's end orders it.
template <class Loop>
std::uint64_t sum_of(const place& p, const Loop& loop) {
  std::atomic<std::uint64_t> sum{0};
  loop([&](unsigned i) { sum.fetch_add(p.part(i), std::memory_order_relaxed); });
  return sum.load(std::memory_order_relaxed);
}

template <class Partitioner>
std::uint64_t loop_by(const place& p, unsigned n) {
  return sum_of(p, [&](const auto& body) { heist::parallel_for(0U, n, body, Partitioner{}); });
}

// Partitioners with a memory run two loops, of which only the second one has the children.
template <class Partitioner>
std::uint64_t loop_again(const place& p, unsigned n) {
  Partitioner same{};
  std::atomic<unsigned> first{0};
  heist::parallel_for(
      0U, n, [&](unsigned) { first.fetch_add(1, std::memory_order_relaxed); }, same);
  if (first.load(std::memory_order_relaxed) != n)
    fail("a loop ran another number of times", p.node);
  return sum_of(p, [&](const auto& body) { heist::parallel_for(0U, n, body, same); });
}

// Many iterations, few of which have a child.
std::uint64_t long_loop(const place& p, unsigned n) {
  std::atomic<unsigned> all{0};
  const unsigned stride = 64;
  const std::uint64_t sum = sum_of(p, [&](const auto& body) {
    heist::parallel_for(0U, n * stride, [&](unsigned i) {
      all.fetch_add(1, std::memory_order_relaxed);
      if (i % stride == 0) body(i / stride);
    });
  });
  if (all.load(std::memory_order_relaxed) != n * stride)
    fail("a long loop ran another number of times", p.node);
  return sum;
}

std::uint64_t block_loop(const place& p, unsigned n) {
  return sum_of(p, [&](const auto& body) {
    const heist::block<2> cells{{0, 0}, {2, (n + 1) / 2}};
    heist::parallel_for(cells, [&](std::size_t row, std::size_t column) {
      const auto i = static_cast<unsigned>(row * ((n + 1) / 2) + column);
      if (i < n) body(i);
    });
  });
}

struct appended {
  std::vector<unsigned> operator()(std::vector<unsigned> a, const std::vector<unsigned>& b) const {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
};

std::uint64_t reducer_loop(const place& p, unsigned n) {
  heist::reducer<std::vector<unsigned>, appended> order(std::vector<unsigned>{});
  heist::reducer<std::uint64_t> sum(0);
  heist::parallel_for(0U, n, [&](unsigned i) {
    const std::uint64_t part = p.part(i);
    *sum += part;
    order->push_back(i);
  });
  const std::vector<unsigned> seen = order.get();
  for (unsigned i = 0; i < n; ++i)
    if (seen.size() != n || seen[i] != i) fail("a reducer has lost the order", p.node);
  return sum.get();
}

std::uint64_t combinable_loop(const place& p, unsigned n) {
  heist::combinable<std::uint64_t> sum;
  heist::parallel_for(0U, n, [&](unsigned i) {
    const std::uint64_t part = p.part(i);
    sum.local() += part;
  });
  return sum.combine(std::plus<>());
}

constexpr construct table[] = {
    {"loop on demand", 6, trait::plain, 1, 7, &loop_by<heist::on_demand>},
    {"loop static_blocks", 1, trait::plain, 1, 7, &loop_by<heist::static_blocks>},
    {"loop interleaved", 1, trait::plain, 1, 7, &loop_by<heist::interleaved>},
    {"loop dynamic", 1, trait::plain, 1, 7, &loop_by<heist::dynamic>},
    {"loop guided", 1, trait::plain, 1, 7, &loop_by<heist::guided>},
    {"loop semi_static", 1, trait::plain, 1, 7, &loop_again<heist::semi_static>},
    {"loop affinity", 1, trait::plain, 1, 7, &loop_again<heist::affinity>},
    {"long loop", 2, trait::plain, 1, 3, &long_loop},
    {"loop over a block", 2, trait::plain, 2, 4, &block_loop},
    {"reducer", 2, trait::plain, 1, 5, &reducer_loop},
    {"combinable", 1, trait::plain, 1, 5, &combinable_loop}};

}  // namespace

std::span<const construct> loops() { return table; }

}  // namespace heist_soak
