// Every greedy schedule of tiny DAGs, against the bounds and against the schedulers.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>

#include "lab/checks/schedule.hpp"
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

// ---- Every scheduler on random DAGs: the checks hold, and the names of threads make no
// difference.

namespace {

constexpr strictness kinds[] = {strictness::fully_strict, strictness::strict, strictness::general};

bool takes(scheduler_kind scheduler, strictness kind) {
  return scheduler != scheduler_kind::busy_leaves || kind != strictness::general;
}

// The same computation with its threads numbered in another order; the root stays the first.
explicit_dag relabelled(const explicit_dag& dag, rng& random) {
  std::vector<thread_id> others;
  for (thread_id t = 1; t < dag.thread_count(); ++t) others.push_back(t);
  random.shuffle(others);
  std::vector<thread_id> name = {0};
  name.insert(name.end(), others.begin(), others.end());
  const auto place = [&](node_id v) -> dag_source::place {
    return {name[dag.thread_of(v)], v - dag.first(dag.thread_of(v))};
  };
  dag_source source;
  source.threads.resize(dag.thread_count());
  for (thread_id t = 0; t < dag.thread_count(); ++t) {
    source.threads[name[t]].length = dag.length(t);
    source.threads[name[t]].frame = dag.frame(t);
  }
  for (node_id v = 0; v < dag.node_count(); ++v) {
    if (dag.spawned_by(v) != no_id) source.spawns.push_back({place(v), name[dag.spawned_by(v)]});
    for (const node_id to : dag.joins_from(v)) source.joins.push_back({place(v), place(to)});
  }
  return explicit_dag(std::move(source));
}

}  // namespace

TEST(RandomDags, AreRunByEverySchedulerAsItsTheoremsSay) {
  for (const auto kind : kinds) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      const auto of = make_computation(random_dag(kind, 50 + 20 * seed, seed));
      for (const auto& scheduler : schedulers()) {
        if (!takes(scheduler.kind, kind)) continue;
        for (const std::uint32_t p : {1U, 3U, 16U}) {
          check_report report;
          auto settings = settings_of(scheduler.kind, p, engine_kind::step, seed);
          const auto checked = of->run_checked(settings, report);
          EXPECT_EQ(checked, of->run(settings)) << scheduler.name;
          EXPECT_EQ(report.runs, 1u);
          EXPECT_GE(checked.steps, of->measure().span);
        }
      }
    }
  }
}

TEST(RandomDags, AreRunTheSameWithOtherNamesForTheirThreads) {
  rng random(8);
  for (const auto kind : kinds) {
    const auto dag = random_dag(kind, 400, 6);
    const auto other = relabelled(dag, random);
    const auto of = make_computation(dag);
    const auto of_other = make_computation(other);
    EXPECT_EQ(of->measure(), of_other->measure());
    for (const auto& scheduler : schedulers()) {
      if (!takes(scheduler.kind, kind)) continue;
      const auto settings = settings_of(scheduler.kind, 5);
      EXPECT_EQ(of->run(settings), of_other->run(settings)) << scheduler.name;
    }
  }
}

TEST(RandomDags, ThatAreGeneralAreRefusedByBusyLeaves) {
  const auto of = make_computation(random_dag(strictness::general, 300, 2));
  EXPECT_THROW((void)of->run(settings_of(scheduler_kind::busy_leaves, 2)), heist::usage_error);
}

// ---- Figure 2 of Blumofe and Leiserson: the Busy-Leaves algorithm runs Figure 1's computation on
// two processors.

namespace {

class Figure2 : public testing::Test {
 protected:
  // "G1: v1", or "" for an idle processor; steps and processors count from 1.
  [[nodiscard]] std::string cell(std::size_t step, std::size_t column) const {
    return table_.rows.at(step - 1).at(column);
  }
  [[nodiscard]] std::string pool(std::size_t step) const { return cell(step, 3); }

  explicit_dag dag_ = figure1();
  schedule steps_ = make_schedule(dag_, settings_of(scheduler_kind::busy_leaves, 2));
  heist::report::table table_ = to_table(steps_, dag_);
};

}  // namespace

TEST_F(Figure2, HasTwoProcessorsAndAPool) {
  EXPECT_EQ(table_.columns, (std::vector<std::string>{"step", "p1", "p2", "pool"}));
}

TEST_F(Figure2, ASpawnReturnsTheParentToThePool) {
  EXPECT_EQ(cell(2, 1), "G1: v2");
  EXPECT_EQ(cell(2, 2), "");
  EXPECT_EQ(cell(3, 1), "G2: v3");
  EXPECT_EQ(cell(3, 2), "G1: v16");  // the idle p2 has taken G1 out of it again
}

TEST_F(Figure2, AStallLeavesTheProcessorIdle) {
  EXPECT_EQ(cell(8, 2), "G1: v21");
  EXPECT_EQ(cell(9, 2), "");
  EXPECT_EQ(pool(9), "(G1)");
}

TEST_F(Figure2, ADeathMayTakeTheParent) {
  EXPECT_EQ(cell(13, 1), "G2: v15");
  EXPECT_EQ(cell(14, 1), "G1: v23");
  EXPECT_EQ(steps_.size(), 14u);
}

TEST_F(Figure2, ExecutesEachInstructionOnceAndAfterThoseItNeeds) {
  std::vector<std::size_t> step_of(dag_.node_count(), 0);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    for (const node_id v : steps_[i].executed) {
      if (v == no_id) continue;
      EXPECT_EQ(step_of[v], 0u) << dag_.node_name(v);
      step_of[v] = i + 1;
    }
  }
  for (node_id v = 0; v < dag_.node_count(); ++v) {
    ASSERT_GT(step_of[v], 0u) << dag_.node_name(v);
    dag_.each_edge(v, [&](const explicit_dag::edge& edge) {
      EXPECT_LT(step_of[v], step_of[edge.to]) << dag_.node_name(v) << dag_.node_name(edge.to);
    });
  }
}

TEST_F(Figure2, HasNoReadyThreadInThePoolWhileAProcessorIsIdle) {
  for (const auto& step : steps_)
    EXPECT_TRUE(step.ready.empty() || (step.executed[0] != no_id && step.executed[1] != no_id));
}
