// Every greedy schedule of tiny DAGs, against the bounds and against the schedulers.
#include <algorithm>
#include <limits>
#include <map>

#include <gtest/gtest.h>

#include "lab/dag/known_dags.hpp"
#include "lab/dag/random_dag.hpp"
#include "lab/dag/unroll.hpp"
#include "lab/experiments/bounds.hpp"
#include "lab/programs/fib.hpp"
#include "lab/programs/tree.hpp"
#include "lab/programs/wide.hpp"
#include "support.hpp"

using namespace heist::lab;

namespace {

struct extremes {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max(), greatest = 0;
};

// The shortest and the longest schedule on P processors, of the greedy ones or of all that never
// leave all processors idle: by the set of executed nodes.
class all_schedules {
 public:
  all_schedules(const explicit_dag& dag, unsigned processors, bool greedy_only = true)
      : dag_(dag), processors_(processors), greedy_only_(greedy_only) {
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
    const auto most = std::min<std::size_t>(ready.size(), processors_);
    extremes result;
    for (auto count = greedy_only_ ? most : 1; count <= most; ++count) {
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
    }
    return known_[done] = result;
  }

 private:
  const explicit_dag& dag_;
  unsigned processors_;
  bool greedy_only_;
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

TEST(EveryGreedySchedule, IsTriedAndTheShortestIsTheShortestOfAll) {
  for (const auto& dag : tiny_dags()) {
    for (const unsigned p : {1U, 2U, 3U, 5U}) {
      const auto found = all_schedules(dag, p).from();
      const auto tried = try_greedy_schedules(dag, p);
      EXPECT_EQ(tried.shortest, found.least);
      EXPECT_EQ(tried.longest, found.greatest);
      EXPECT_EQ(tried.shortest, all_schedules(dag, p, false).from().least);
      EXPECT_LE(tried.longest, 2 * tried.shortest);
    }
  }
  const auto larger = random_dag(strictness::general, max_instructions_to_try, 5);
  EXPECT_EQ(try_greedy_schedules(larger, 64).shortest, larger.span());
}

TEST(EveryGreedySchedule, IsNotTriedWhereThereAreTooMany) {
  EXPECT_THROW((void)try_greedy_schedules(figure1(), 0), heist::usage_error);
  const auto large = random_dag(strictness::general, max_instructions_to_try + 1, 5);
  EXPECT_THROW((void)try_greedy_schedules(large, 2), heist::usage_error);
  dag_source wide;
  wide.threads = {{"root", 13, 1, {}}};
  for (thread_id t = 1; t <= 6; ++t) {
    wide.threads.push_back({"", 3, 1, {}});
    wide.spawns.push_back({{0, t - 1}, t});
    wide.joins.push_back({{t, 2}, {0, 6 + t}});
  }
  const explicit_dag dag(wide);
  EXPECT_EQ(dag.node_count(), 31U);
  const auto states = try_greedy_schedules(dag, 2).states;
  EXPECT_GT(states, 1000U);
  EXPECT_EQ(try_greedy_schedules(dag, 2, states).states, states);
  EXPECT_THROW((void)try_greedy_schedules(dag, 2, states - 1), heist::usage_error);
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
