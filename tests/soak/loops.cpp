// parallel_for with every partitioner, blocks, and values that loops add to.
#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "heist/heist.hpp"
#include "heist/job_system.hpp"
#include "heist/pipeline.hpp"
#include "heist/task.hpp"
#include "heist/task_graph.hpp"
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

// ----
// Algorithms that call their children, and algorithms over data that are compared with those of the
// standard library.

namespace {

std::uint64_t reduction(const place& p, unsigned n) {
  std::vector<unsigned> indices(n);
  std::iota(indices.begin(), indices.end(), 0U);
  return heist::transform_reduce(indices, std::uint64_t{0}, std::plus<>(),
                                 [&](unsigned i) { return p.part(i); });
}

std::uint64_t transformation(const place& p, unsigned n) {
  std::vector<unsigned> indices(n);
  std::iota(indices.begin(), indices.end(), 0U);
  std::vector<std::uint64_t> parts(n);
  heist::transform(indices, parts.begin(), [&](unsigned i) { return p.part(i); });
  return std::accumulate(parts.begin(), parts.end(), std::uint64_t{0});
}

std::uint64_t search(const place& p, unsigned n) {
  std::vector<unsigned> indices(n);
  std::iota(indices.begin(), indices.end(), 0U);
  std::atomic<std::uint64_t> sum{0};
  const bool found = heist::any_of(indices, [&](unsigned i) {
    sum.fetch_add(p.part(i), std::memory_order_relaxed);
    return false;
  });
  if (found) fail("any_of found what isn't there", p.node);
  return sum.load(std::memory_order_relaxed);
}

std::vector<std::uint64_t> data_of(const place& p) {
  std::vector<std::uint64_t> v(1 + p.hash() % 3000);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = mixed(p.hash() + i) % 500;
  return v;
}

void check(bool is_right, const char* what, const place& p) {
  if (!is_right) fail(what, p.node);
}

std::uint64_t sorting(const place& p, unsigned) {
  auto ours = data_of(p);
  auto theirs = ours;
  heist::sort(ours);
  std::sort(theirs.begin(), theirs.end());
  check(ours == theirs, "sort has another result", p);
  return p.part(0);
}

// The lower halves of the elements are their old places, so a stable sort also sorts the whole
// values.
std::uint64_t stable_sorting(const place& p, unsigned) {
  auto ours = data_of(p);
  for (std::size_t i = 0; i < ours.size(); ++i) ours[i] = (ours[i] % 16) << 32 | i;
  heist::stable_sort(ours, [](std::uint64_t a, std::uint64_t b) { return a >> 32 < b >> 32; });
  check(std::is_sorted(ours.begin(), ours.end()), "stable_sort has another result", p);
  return p.part(0);
}

std::uint64_t scanning(const place& p, unsigned) {
  auto ours = data_of(p);
  auto theirs = ours;
  heist::inclusive_scan(ours, ours.begin());
  std::inclusive_scan(theirs.begin(), theirs.end(), theirs.begin());
  check(ours == theirs, "inclusive_scan has another result", p);
  return p.part(0);
}

std::uint64_t selecting(const place& p, unsigned) {
  const auto odd = [](std::uint64_t i) { return i % 2 != 0; };
  const auto from = data_of(p);
  std::vector<std::uint64_t> ours(from.size());
  std::vector<std::uint64_t> theirs;
  ours.resize(static_cast<std::size_t>(heist::copy_if(from, ours.begin(), odd) - ours.begin()));
  std::copy_if(from.begin(), from.end(), std::back_inserter(theirs), odd);
  check(ours == theirs, "copy_if has another result", p);
  check(*heist::min_element(from) == *std::min_element(from.begin(), from.end()),
        "min_element has another result", p);
  return p.part(0);
}

constexpr construct table_of_algorithms[] = {
    {"transform_reduce", 3, trait::plain, 1, 7, &reduction},
    {"transform", 2, trait::plain, 1, 7, &transformation},
    {"any_of", 1, trait::plain, 1, 5, &search},
    {"sort", 1, trait::plain, 1, 0, &sorting},
    {"stable_sort", 1, trait::plain, 1, 0, &stable_sorting},
    {"inclusive_scan", 1, trait::plain, 1, 0, &scanning},
    {"copy_if and min_element", 1, trait::plain, 1, 0, &selecting}};

}  // namespace

std::span<const construct> algorithms() { return table_of_algorithms; }

// ---- Pipelines, task graphs, tasks and jobs.

namespace {

std::uint64_t pipeline(const place& p, unsigned n) {
  unsigned next = 0;
  unsigned came = 0;
  std::uint64_t sum = 0;
  struct item {
    unsigned index;
    std::uint64_t part;
  };
  const auto source = [&]() -> std::optional<unsigned> {
    return next < n ? std::optional(next++) : std::nullopt;
  };
  heist::make_pipeline(source, heist::in_parallel([&](unsigned i) {
                         return item{i, p.part(i)};
                       }),
                       heist::in_order([&](const item& i) {
                         if (i.index != came++) fail("a pipeline has lost the order", p.node);
                         sum += i.part;
                       }))
      .run({.tokens = 1 + p.hash() % 4});
  return sum;
}

std::uint64_t graph(const place& p, unsigned n) {
  heist::task_graph g;
  std::atomic<std::uint64_t> sum{0};
  std::atomic<bool> was_first{false};
  const auto first = g.add([&] {
    sum.fetch_add(p.part(0), std::memory_order_relaxed);
    was_first.store(true, std::memory_order_relaxed);
  });
  for (unsigned i = 1; i < n; ++i)
    g.edge(first, g.add([&, i] {
      if (!was_first.load(std::memory_order_relaxed)) fail("a graph has lost an edge", p.node);
      sum.fetch_add(p.part(i), std::memory_order_relaxed);
    }));
  g.run();
  return sum.load(std::memory_order_relaxed);
}

std::uint64_t growing_graph(const place& p, unsigned) {
  heist::task_graph g;
  std::atomic<std::uint64_t> sum{0};
  g.add([&](heist::task_graph::running& run) {
    run.add([&] { sum.fetch_add(p.part(0), std::memory_order_relaxed); });
    sum.fetch_add(p.part(1), std::memory_order_relaxed);
  });
  g.run();
  return sum.load(std::memory_order_relaxed);
}

class soak_task final : public heist::task {
 public:
  soak_task(const place& p, std::atomic<std::uint64_t>& sum, unsigned index, unsigned children)
      : place_(p), sum_(sum), index_(index), children_(children) {}
  void execute() override {
    for (unsigned i = 1; i < children_; ++i) spawn(std::make_unique<soak_task>(place_, sum_, i, 0));
    sum_.fetch_add(place_.part(index_), std::memory_order_relaxed);
    wait_for_all();
  }

 private:
  const place& place_;
  std::atomic<std::uint64_t>& sum_;
  unsigned index_;
  unsigned children_;
};

std::uint64_t tasks(const place& p, unsigned n) {
  std::atomic<std::uint64_t> sum{0};
  soak_task root(p, sum, 0, n);
  heist::run_task(root);
  return sum.load(std::memory_order_relaxed);
}

std::uint64_t jobs(const place& p, unsigned n) {
  std::atomic<std::uint64_t> sum{0};
  heist::job_system system(p.hash() % 2 == 0 ? p.in.first : p.in.second, 16);
  const auto parent =
      system.create_job([&p, &sum] { sum.fetch_add(p.part(0), std::memory_order_relaxed); });
  for (unsigned i = 1; i < n; ++i)
    system.run(system.create_job_as_child(
        parent, [&p, &sum, i] { sum.fetch_add(p.part(i), std::memory_order_relaxed); }));
  system.run(parent);
  system.wait(parent);
  return sum.load(std::memory_order_relaxed);
}

constexpr construct table_of_graphs[] = {
    {"pipeline", 2, trait::waits, 1, 6, &pipeline},
    {"task_graph", 2, trait::plain, 1, 5, &graph},
    {"growing task_graph", 1, trait::plain, 2, 0, &growing_graph},
    {"task", 3, trait::plain, 1, 4, &tasks},
    {"job_system", 2, trait::plain, 1, 4, &jobs}};

}  // namespace

std::span<const construct> graphs() { return table_of_graphs; }

}  // namespace heist_soak
