// Every scheduler on random DAGs: the checks hold, and the names of threads make no difference.
#include <gtest/gtest.h>

#include "lab/dag/random_dag.hpp"
#include "support.hpp"

using namespace heist::lab;

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
