// What heist theory makes of the rows of its studies: cells, JSON, charts and pages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/theory/theory_adversaries.hpp"
#include "cli/theory/theory_granularity.hpp"
#include "cli/theory/theory_recycling.hpp"

namespace {

using namespace heist::cli;
using heist::lab::adversary;
using heist::lab::granularity_row;
using heist::lab::granularity_setup;
using heist::lab::hint_kind;
using heist::lab::kernel_study_row;
using heist::lab::kernel_study_setup;
using heist::lab::make_computation;
using heist::lab::recycling_setup;
using heist::lab::task_scheduler;
using heist::lab::yield_policy;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST(RecyclingRows, AreTheSameOnAPageForTheSameSeed) {
  const recycling_setup setup{4, 1000, 10, 1};
  const auto page = [&setup] {
    return recycling_page(setup, {study_adversary(setup, adversary::eager)},
                          "heist theory recycling -P 4 -M 1000");
  };
  const auto html = page();
  EXPECT_THAT(html, HasSubstr("heist theory recycling -P 4 -M 1000"));
  EXPECT_THAT(html, HasSubstr("<svg"));
  EXPECT_THAT(html, HasSubstr("{&quot;adversary&quot;: &quot;eager&quot;, &quot;P&quot;: 4, "
                              "&quot;M&quot;: 1000, &quot;games&quot;: 10"));
  EXPECT_EQ(html, page());
}

// One game alone says nothing of its mean: no number where there is none.
TEST(RecyclingRows, OneGameHasNoInterval) {
  const recycling_setup setup{4, 100, 1, 1};
  const auto row = study_adversary(setup, adversary::eager);
  const auto columns = recycling_columns(setup);
  const auto views = recycling_views();
  EXPECT_EQ(columns.page_table(views.text, {row}).rows[0][2], "-");
  EXPECT_THAT(columns.json_line(views.json, row), HasSubstr("\"mean_low\": null"));
}

kernel_study_row study(const char* dag, const char* kernel, std::uint32_t processes) {
  const auto program = make_computation(dag);
  const kernel_study_setup setup{.seeds = 5, .seed = 1, .patience = 5000};
  return study_kernel(*program, program->measure(), setup, kernel, yield_policy::none, processes);
}

TEST(AdversaryRows, WithoutAnEndHaveNoFigures) {
  const auto row = study("fib:13", "idle-only:3", 8);
  const auto columns = kernel_study_columns();
  const auto views = kernel_study_views();
  EXPECT_EQ(columns.csv_line(views.csv, row), "idle-only:3,8,adaptive,none,no,-,-,-,-,-,5 of 5\n");
  EXPECT_THAT(columns.json_line(views.json, row), EndsWith("\"given_up\": 5}"));
}

TEST(AdversaryRows, AreFittedFromTwoNumbersOfProcesses) {
  std::vector<kernel_study_row> rows = {study("random:2000,3", "dedicated", 4)};
  EXPECT_EQ(kernel_study_fit_text(rows), "");
  rows.push_back(study("random:2000,3", "dedicated", 32));
  EXPECT_THAT(kernel_study_fit_text(rows), StartsWith("where the yield suffices, 10 runs: T = "));
}

TEST(AdversaryChart, HasANameForEachKernelAndNoMarkWhereNothingEnded) {
  const std::vector rows = {study("fib:12", "dedicated", 4), study("fib:12", "idle-only:2", 4)};
  const auto chart = kernel_study_chart("title", rows, 4);
  EXPECT_THAT(chart.x.names, ElementsAre("dedicated", "idle-only:2"));
  ASSERT_EQ(chart.all.size(), 2U);  // yield none, and the bound
  EXPECT_EQ(chart.all[0].points.size(), 1U);
  const auto svg = to_svg(chart);
  EXPECT_THAT(svg, HasSubstr(">dedicated</text>"));
  EXPECT_THAT(svg, HasSubstr(">idle-only:2</text>"));
}

TEST(GranularityChart, HasACurveForEachScheduler) {
  granularity_setup setup;
  setup.processors = 8;
  setup.work = 100'000;
  setup.finest = 4;
  setup.seeds = 2;
  std::vector<granularity_row> rows;
  for (const auto scheduler : {task_scheduler::fifo, task_scheduler::stealing})
    for (const std::uint32_t factor : {1U, 2U, 4U})
      rows.push_back(study_granularity(setup, scheduler, hint_kind::exact, factor));
  using enum granularity_curve;
  for (const auto what : {time, balance, overhead, tail}) {
    const auto chart = granularity_chart(setup, rows, what);
    ASSERT_EQ(chart.all.size(), what == time ? 3U : 2U);  // with T1/P
    EXPECT_EQ(chart.all[0].name, "fifo");
    EXPECT_EQ(chart.all[1].points.size(), 3U);
  }
}

}  // namespace
