// Pipelines, task graphs, tasks and jobs.
#include <memory>
#include <optional>

#include "heist/heist.hpp"
#include "heist/job_system.hpp"
#include "heist/pipeline.hpp"
#include "heist/task.hpp"
#include "heist/task_graph.hpp"
#include "tests/soak/construct.hpp"

namespace heist_soak {
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

constexpr construct table_of_graphs[] = {{"pipeline", 2, trait::waits, 1, 6, &pipeline},
                               {"task_graph", 2, trait::plain, 1, 5, &graph},
                               {"growing task_graph", 1, trait::plain, 2, 0, &growing_graph},
                               {"task", 3, trait::plain, 1, 4, &tasks},
                               {"job_system", 2, trait::plain, 1, 4, &jobs}};

}  // namespace

std::span<const construct> graphs() { return table_of_graphs; }

}  // namespace heist_soak
