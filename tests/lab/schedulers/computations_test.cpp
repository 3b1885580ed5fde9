// The measures of computations: known values, and an independent recursion over the unrolled DAG.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include <heist/error.hpp>

#include "lab/catalog/run.hpp"
#include "lab/dag/unroll.hpp"
#include "lab/programs/chain.hpp"
#include "lab/programs/fib.hpp"
#include "lab/programs/loops.hpp"
#include "lab/programs/matmul.hpp"
#include "lab/programs/nqueens.hpp"
#include "lab/programs/quicksort.hpp"
#include "lab/programs/skynet.hpp"
#include "lab/programs/tree.hpp"
#include "lab/programs/uts.hpp"
#include "lab/programs/wide.hpp"
#include "lab/schedulers/binomial.hpp"
#include "report/statistics.hpp"
#include "support.hpp"

using namespace heist::lab;
using heist::workloads::tree;
using heist::workloads::tree_kind;
using heist::workloads::tree_node;
using heist::workloads::tree_shape;

namespace {

// The longest path from v, by the definition.
std::uint64_t longest_path(const explicit_dag& dag) {
  std::vector<std::uint64_t> known(dag.node_count(), 0);
  const std::function<std::uint64_t(node_id)> from = [&](node_id v) {
    if (known[v] > 0) return known[v];
    std::uint64_t longest = 0;
    dag.each_edge(v, [&](const explicit_dag::edge& e) { longest = std::max(longest, from(e.to)); });
    return known[v] = longest + 1;
  };
  return from(dag.first(0));
}

template <class Program>
void expect_same_measures(Program program) {
  fork_join_threads<Program> threads(program);
  const auto measured = measure(threads);
  const auto dag = unroll(threads, "unrolled", 1U << 20U);
  EXPECT_EQ(measured.work, dag.node_count());
  EXPECT_EQ(measured.span, longest_path(dag));
  EXPECT_EQ(measured.span, dag.span());
  EXPECT_EQ(measured.stack_depth, dag.stack_depth());
  EXPECT_EQ(measured.threads, dag.thread_count());
  EXPECT_EQ(measured.most_joins, dag.most_joins());
  EXPECT_EQ(measured.largest_frame, dag.largest_frame());
  EXPECT_EQ(dag.kind(), strictness::fully_strict);
}

}  // namespace

TEST(Measures, OfFibAreThoseOfItsRecurrences) {
  std::vector<std::uint64_t> work = {1, 1}, span = {1, 1};
  for (std::uint64_t n = 2; n <= 20; ++n) {
    work.push_back(work[n - 1] + work[n - 2] + 4);
    span.push_back(std::max({span[n - 1] + 2, span[n - 2] + 3, std::uint64_t{4}}));
    const auto measured = make_computation("fib:" + std::to_string(n))->measure();
    EXPECT_EQ(measured.work, work[n]);
    EXPECT_EQ(measured.span, span[n]);
    EXPECT_EQ(measured.stack_depth, n);
  }
}

TEST(Measures, OfACompleteTree) {
  const auto measured = make_computation("tree:3,4,10")->measure();
  EXPECT_EQ(measured.threads, 1u + 3 + 9 + 27 + 81);
  EXPECT_EQ(measured.work, 40u * 5 + 81 * 10);
  EXPECT_EQ(measured.span, 4u * (3 + 1) + 10);  // the last of three spawns, and the sync
  EXPECT_EQ(measured.stack_depth, 5u);
}

TEST(Measures, OfAChainAreItsLength) {
  const auto measured = make_computation("chain:77")->measure();
  EXPECT_EQ(measured, (measures{77, 77, 1, 0, 1, 1, 77}));
}

TEST(Measures, OfUtsTreesCountTheirNodes) {
  const tree few({"few", tree_kind::geometric, tree_shape::fixed, 4, 6, 0, 0, 19});
  const std::function<std::uint64_t(const tree_node&)> count = [&](const tree_node& node) {
    std::uint64_t nodes = 1;
    for (std::uint32_t i = 0; i < few.children(node); ++i) nodes += count(few.child(node, i));
    return nodes;
  };
  fork_join_threads<uts_program> threads(uts_program{few});
  const auto nodes = count(few.root());
  EXPECT_GT(nodes, 1000u);
  EXPECT_EQ(measure(threads).threads, nodes);
}

TEST(Measures, AgreeWithTheUnrolledDag) {
  for (std::uint16_t n = 0; n <= 12; ++n) expect_same_measures(fib_program{n});
  expect_same_measures(tree_program{1, 5, 3});
  expect_same_measures(tree_program{4, 4, 7});
  expect_same_measures(wide_program{17, 5, 50});
  expect_same_measures(matmul_program{16, 4});
  expect_same_measures(loops_program{7, 5, 3});
  expect_same_measures(quicksort_program(1000, 3));
  for (const unsigned leaves : {1U, 2U, 11U, 1000U}) expect_same_measures(skynet_program{leaves});
  expect_same_measures(nqueens_program{6, 2});
  expect_same_measures(nqueens_program{7, 0});
  expect_same_measures(
      uts_program{heist::workloads::tree({"small", heist::workloads::tree_kind::geometric,
                                          heist::workloads::tree_shape::fixed, 3, 5, 0, 0, 1})});
}

TEST(Measures, OfAMatrixProduct) {
  const auto measured = make_computation("matmul:64,8")->measure();
  EXPECT_EQ(measured.threads, 1u + 8 + 64 + 512);
  EXPECT_EQ(measured.work, 512u * 512 + 12 * (1 + 8 + 64));
  EXPECT_EQ(measured.stack_depth, 4u);
}

TEST(Measures, OfSkynetAreThoseOfBinaryForks) {
  const auto measured = make_computation("skynet:1000")->measure();
  EXPECT_EQ(measured.threads, 1000u + 999);
  EXPECT_EQ(measured.work, 1000u + 4 * 999);
}

// Of 6 queens 152 are tried. The columns of the first row are always forked, with 5 forks.
TEST(Measures, OfQueensCountEachThatIsTried) {
  const auto measured = make_computation("nqueens:6,6")->measure();
  EXPECT_EQ(measured.threads, 1u + 2 * 5);
  EXPECT_EQ(measured.work, 152u + 4 * 5);
}

TEST(Measures, OfNestedLoops) {
  const auto measured = make_computation("loops:4,8,10")->measure();
  EXPECT_EQ(measured.threads, 4u + 3 + 4 * (8 + 7));
  // Bodies; 4 for each division of an inner loop, and of the outer one; 3 for each of its
  // iterations.
  EXPECT_EQ(measured.work, 4u * 8 * 10 + 4 * 7 * 4 + 3 * 4 + 4 * 3);
}

TEST(Measures, OfAPipeline) {
  const auto measured = make_computation("pipeline:10,4")->measure();
  EXPECT_EQ(measured.work, 10u * 5 + 12);
  // Spawn of the first, its first instruction, its first stage; then an item or a stage farther at
  // each step; the end.
  EXPECT_EQ(measured.span, 3u + 9 + 3 + 1);
}

// A run really sorts, no matter who executes what.
TEST(Quicksort, SortsUnderEveryScheduler) {
  for (const auto scheduler :
       {scheduler_kind::work_stealing, scheduler_kind::fifo, scheduler_kind::greedy}) {
    fork_join_threads<quicksort_program> threads(quicksort_program(5000, 9));
    no_observer nobody;
    const auto result = run_on(threads, settings_of(scheduler, 7), nobody);
    EXPECT_TRUE(
        std::is_sorted(threads.program().numbers().begin(), threads.program().numbers().end()));
    fork_join_threads<quicksort_program> again(quicksort_program(5000, 9));
    EXPECT_EQ(result.work, measure(again).work);
  }
}

TEST(Unrolling, IsRefusedWhereItWouldBeTooLarge) {
  fork_join_threads<fib_program> threads(fib_program{20});
  EXPECT_THROW((void)unroll(threads, "fib:20", 1000), heist::usage_error);
  fork_join_threads<wide_program> heavy(wide_program{1, UINT64_MAX / 2, UINT64_MAX / 2});
  EXPECT_THROW((void)unroll(heavy, "wide", 1000), heist::usage_error);
}

TEST(Computations, RefuseBadWordsAndNameThem) {
  const auto message = [](std::string_view word) -> std::string {
    try {
      (void)make_computation(word);
    } catch (const heist::usage_error& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message("fib:91"), "fib:91: n is from 0 to 90, not 91");
  EXPECT_EQ(message("fib:"), "fib:: n is a whole number, not ''");
  EXPECT_EQ(message("fib:3,4"), "fib:3,4: too many arguments; it is fib:n");
  EXPECT_EQ(message("fib:99999999999999999999"),
            "fib:99999999999999999999: n is from 0 to 90, not 99999999999999999999");
  EXPECT_EQ(message("matmul:12"), "matmul:12: n is a power of two, not 12");
  EXPECT_NE(message("pipeline:1000000,1000000").find("more than"), std::string::npos);
  EXPECT_EQ(message("figure1:2"), "figure1:2: figure1 takes no arguments");
  EXPECT_NE(message("").find("unknown computation ''"), std::string::npos);
  EXPECT_NE(message("uts:T99").find("the trees are T1, "), std::string::npos);
}

TEST(Threads, AreForgottenWhenTheyDie) {
  fork_join_threads<chain_program> one(chain_program{5});
  const auto root = one.start();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(one.execute(root).thread, outcome::fate::goes_on);
  EXPECT_EQ(one.living(), 1u);
  EXPECT_EQ(one.execute(root).thread, outcome::fate::died);
  EXPECT_EQ(one.living(), 0u);
}

TEST(Threads, StallAtASyncAndAreEnabledByTheLastChild) {
  fork_join_threads<tree_program> threads(tree_program{2, 1, 1});
  const auto root = threads.start();
  const auto first = threads.execute(root).spawned;
  const auto second = threads.execute(root).spawned;
  EXPECT_EQ(threads.living_children(root), 2u);
  EXPECT_EQ(threads.execute(root).thread, outcome::fate::stalled);
  EXPECT_EQ(threads.execute(first).enabled[0], no_id);
  EXPECT_EQ(threads.execute(second).enabled[0], root);
  EXPECT_EQ(threads.execute(root).thread, outcome::fate::died);
}

// ---- Binomial numbers against their exact distribution, by the chi-squared distance.

namespace report = heist::report;

namespace {

constexpr int draws = 100'000;

// The squared distance from what is expected, per degree of freedom, over the values that are
// expected at least 20 times. About 1 with the right distribution; with 100 degrees of freedom 1.6
// is exceeded once in 10,000 times.
template <class Draw>
double distance(std::size_t n, double p, bool is_positive, Draw draw) {
  std::vector<int> counts(n + 1, 0);
  for (int i = 0; i < draws; ++i) ++counts.at(draw());
  double sum = 0;
  int values = 0;
  double before = is_positive ? report::binomial_cdf(0, n, p) : 0;
  const double all = 1 - before;
  for (std::size_t k = is_positive ? 1 : 0; k <= n; ++k) {
    const double up_to = report::binomial_cdf(k, n, p);
    const double expected = draws * (up_to - before) / all;
    before = up_to;
    if (expected < 20) continue;
    sum += (counts[k] - expected) * (counts[k] - expected) / expected;
    ++values;
  }
  EXPECT_GT(values, 1);
  return sum / (values - 1);
}

}  // namespace

TEST(Binomial, HasItsDistribution) {
  rng random(7);
  struct setting {
    std::size_t n;
    double p;
  };
  const std::vector<setting> settings{{2, 0.3},   {10, 0.5},    {20, 0.9},   {1000, 0.001},
                                      {100, 0.3}, {5000, 0.02}, {300, 0.97}, {4000, 0.5}};
  for (const setting& each : settings) {
    const auto n = each.n;
    const auto p = each.p;
    EXPECT_LT(distance(n, p, false, [&] { return draw_binomial(random, n, p); }), 2.5)
        << n << ' ' << p;
    EXPECT_LT(distance(n, p, true, [&] { return draw_positive_binomial(random, n, p); }), 2.5)
        << n << ' ' << p;
  }
}

TEST(Binomial, HasItsEnds) {
  rng random(7);
  EXPECT_EQ(draw_binomial(random, 0, 0.5), 0u);
  EXPECT_EQ(draw_binomial(random, 9, 0), 0u);
  EXPECT_EQ(draw_binomial(random, 9, 1), 9u);
  EXPECT_EQ(draw_positive_binomial(random, 9, 1), 9u);
  for (int i = 0; i < 1000; ++i) EXPECT_GE(draw_positive_binomial(random, 1'000'000, 1e-12), 1u);
}

TEST(Failures, AreGeometric) {
  rng random(3);
  std::vector<double> values;
  for (int i = 0; i < 20'000; ++i)
    values.push_back(static_cast<double>(draw_failures(random, 10, 0.01, 1'000'000)));
  const double none = std::pow(0.99, 10);
  EXPECT_TRUE(report::mean_interval(report::summarize(values), 0.9999).holds(none / (1 - none)));
  EXPECT_EQ(draw_failures(random, 10, 0, 55), 55u);
  EXPECT_EQ(draw_failures(random, 0, 0.5, 55), 55u);
  EXPECT_EQ(draw_failures(random, 3, 1, 55), 0u);
}
