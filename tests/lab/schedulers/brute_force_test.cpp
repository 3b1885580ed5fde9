// Every greedy schedule of tiny DAGs, against the bounds and against the schedulers.
#include <algorithm>
#include <limits>
#include <map>

#include <gtest/gtest.h>

#include "lab/dag/figure1.hpp"
#include "lab/dag/unroll.hpp"
#include "lab/programs/fib.hpp"
#include "lab/programs/tree.hpp"
#include "lab/programs/wide.hpp"
#include "support.hpp"

using namespace heist::lab;

namespace {

struct extremes {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max(), greatest = 0;
};

// The shortest and the longest greedy schedule on P processors: by the set of executed nodes.
class all_schedules {
 public:
  all_schedules(const explicit_dag& dag, unsigned processors) : dag_(dag), processors_(processors) {
    before_.resize(dag.node_count());
    for (node_id v = 0; v < dag.node_count(); ++v)
      dag.each_edge(v, [&](const explicit_dag::edge& e) { before_[e.to] |= 1U << v; });
  }

  extremes from(std::uint32_t done = 0) {
    if (done == (1U << dag_.node_count()) - 1) return {0, 0};
    if (const auto known = known_.find(done); known != known_.end()) return known->second;
    std::vector<node_id> ready;
    for (node_id v = 0; v < dag_.node_count(); ++v)
      if ((done >> v & 1U) == 0 && (before_[v] & ~done) == 0) ready.push_back(v);
    const auto count = std::min<std::size_t>(ready.size(), processors_);
    extremes result;
    std::vector<bool> chosen(ready.size(), false);
    std::fill(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(count), true);
    do {
      auto next = done;
      for (std::size_t i = 0; i < ready.size(); ++i)
        if (chosen[i]) next |= 1U << ready[i];
      const auto rest = from(next);
      result.least = std::min(result.least, rest.least + 1);
      result.greatest = std::max(result.greatest, rest.greatest + 1);
    } while (std::prev_permutation(chosen.begin(), chosen.end()));
    return known_[done] = result;
  }

 private:
  const explicit_dag& dag_;
  unsigned processors_;
  std::vector<std::uint32_t> before_;
  std::map<std::uint32_t, extremes> known_;
};

template <class Program>
explicit_dag unrolled(Program program) {
  fork_join_threads<Program> threads(program);
  return unroll(threads, "tiny", 24);
}

std::vector<explicit_dag> tiny_dags() {
  std::vector<explicit_dag> all;
  all.push_back(figure1());
  all.push_back(unrolled(fib_program{4}));
  all.push_back(unrolled(tree_program{3, 1, 4}));
  all.push_back(unrolled(tree_program{2, 2, 1}));
  all.push_back(unrolled(wide_program{4, 2, 6}));
  return all;
}

}  // namespace

TEST(EveryGreedySchedule, KeepsTheoremOne) {
  for (const auto& dag : tiny_dags()) {
    for (const unsigned p : {1U, 2U, 3U, 5U}) {
      const auto found = all_schedules(dag, p).from();
      EXPECT_LE(found.greatest * p, dag.work() + dag.span() * p) << dag.node_count() << ' ' << p;
      EXPECT_GE(found.least * p, dag.work());
      EXPECT_GE(found.least, dag.span());
    }
  }
}

TEST(EveryGreedyScheduler, IsAmongThem) {
  using enum scheduler_kind;
  for (const auto& dag : tiny_dags()) {
    const auto of = make_computation(dag);
    for (const unsigned p : {1U, 2U, 3U, 5U}) {
      const auto found = all_schedules(dag, p).from();
      for (const auto scheduler :
           {greedy, busy_leaves, fifo, lifo, longest_first, shortest_first}) {
        const auto steps = of->run(settings_of(scheduler, p)).steps;
        EXPECT_GE(steps, found.least) << to_string(scheduler);
        EXPECT_LE(steps, found.greatest) << to_string(scheduler);
      }
      EXPECT_GE(of->run(settings_of(work_stealing, p)).steps, found.least);
      EXPECT_GE(of->run(settings_of(level_by_level, p)).steps, found.least);
    }
  }
}
