// What is made of a recording: slices, sums and sentences, against what the sample's events say.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <numeric>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "recording/difference.hpp"
#include "recording/summary.hpp"
#include "tests/unit/trace/sample.hpp"
#include "trace/lane_slices.hpp"

namespace heist_test {
namespace {

using namespace heist::trace;

// Lane by lane.
std::string to_text(const heist::trace::log& of) {
  std::vector<std::string> lanes(of.lanes.size());
  each_slice(of, foresee(of), [&lanes](const slice& s) {
    lanes[s.lane] += std::to_string(s.lane) + " " + std::to_string(s.begin_ns / 1000) + "-" +
                     std::to_string(s.end_ns / 1000) + " " +
                     state_names[static_cast<int>(s.what.state)] +
                     (s.what.region != 0 ? " " + std::to_string(s.what.region) : "") +
                     (s.what.why != idle_why::no_work
                          ? std::string(" ") + idle_names[static_cast<int>(s.what.why)]
                          : "") +
                     "\n";
  });
  return std::accumulate(lanes.begin(), lanes.end(), std::string());
}

TEST(LaneSlices, SayWhatEachLaneDid) {
  EXPECT_EQ(to_text(sample_log()),
            "0 0-100 idle\n"
            "0 100-500 working 1\n"
            "0 500-600 working 2\n"
            "0 600-650 working 1\n"
            "0 650-950 working\n"
            "1 0-150 idle serial_phase\n"
            "1 150-250 parked serial_phase\n"
            "1 250-300 idle serial_phase\n"
            "1 300-400 working 1\n"
            "1 400-700 working\n"
            "1 700-1000 working 1\n"
            "2 50-850 working 1\n"
            "2 850-900 blocked\n");
}

// A thread's use of processors as the system tells it.
event usage_at(std::uint64_t time_ns, std::uint32_t lane, double processor_ns,
               std::uint32_t ready_ns) {
  return {time_ns, lane, event_kind::usage, 0, 0, ready_ns, processor_ns};
}

// A worker has half a processor while it works alone: half of what the other one lacks meanwhile is
// the machine's doing.
TEST(Summary, TellsTheMachineFromTheProgram) {
  heist::trace::recording l;
  l.duration_ns = 2000;
  l.lanes = {{"heist/0", 0, 0, true, 0}, {"heist/1", 0, 1, true, 0}};
  l.events = {usage_at(0, 0, 0, 0),        {0, 0, event_kind::job_begin, 0, 1},
              usage_at(0, 1, 0, 0),        {0, 1, event_kind::idle_begin},
              {0, 1, event_kind::park},    usage_at(1000, 0, 500, 500),
              usage_at(2000, 0, 1500, 500)};
  const summary s = summarise(l);
  EXPECT_EQ(s.processor_ns, 1500U);
  EXPECT_EQ(s.ready_ns, 500U);
  EXPECT_DOUBLE_EQ(processor_share(s), 0.75);
  EXPECT_EQ(s.capacity_ns, 4000U);
  EXPECT_EQ(s.work_ns, 1500U);
  EXPECT_EQ(s.all_idle_ns(), 1500U);
  EXPECT_EQ(s.taken_ns, 1000U);
  EXPECT_EQ(s.regions.at(0).work_ns, 1500U);
  EXPECT_EQ(s.alone_ns, 1500U);
  const auto found = findings_of(l, s);
  ASSERT_GE(found.size(), 2U);
  EXPECT_STREQ(found[0].key, "busy_machine");
  EXPECT_STREQ(found[1].key, "serial_phase");
  EXPECT_DOUBLE_EQ(found[1].weight, 1500.0 / 4000);
}

TEST(Summary, SaysWhereTheSystemTellsNothing) {
  heist::trace::log l;
  l.duration_ns = 1000;
  l.lanes = {{"heist/0", 0, 0, true, 0}};
  l.events = {{0, 0, event_kind::usage, 0, no_lane, no_lane, 10},
              {0, 0, event_kind::job_begin, 0, 1},
              {500, 0, event_kind::usage, 0, no_lane, no_lane, 20}};
  const summary s = summarise(l);
  EXPECT_FALSE(s.knows_usage);
  EXPECT_DOUBLE_EQ(processor_share(s), 1);
  EXPECT_EQ(s.work_ns, 1000U);
  EXPECT_NE(machine_line_of(s).find("isn't known"), std::string::npos);
}

// One that neither runs nor wants to, and doesn't rest by heist's doing.
TEST(Summary, SeesASleepThatIsNotHeists) {
  heist::trace::recording l;
  l.duration_ns = 10'000'000;
  l.lanes = {{"heist/0", 0, 0, true, 0}};
  l.names = {"", "reading"};
  l.events = {usage_at(0, 0, 0, 0),
              {0, 0, event_kind::job_begin, 1, 1},
              usage_at(5'000'000, 0, 1e6, 500'000),
              usage_at(10'000'000, 0, 6e6, 500'000)};
  const summary s = summarise(l);
  EXPECT_EQ(s.lanes[0].slept_ns, 3'500'000U);
  EXPECT_EQ(s.regions.at(0).slept_ns, 3'500'000U);
  const auto found = findings_of(l, s);
  EXPECT_STREQ(found[0].key, "hidden_waits");
  EXPECT_NE(found[0].what.find("'reading'"), std::string::npos);
}

TEST(Summary, NamesALockThatIsContended) {
  recording l;
  static_cast<heist::trace::log&>(l) = sample_log();
  for (event& e : l.events)
    if (e.kind == event_kind::suspend) {
      e.b = 6;
      e.value = 0x1000;
    }
  const summary s = summarise(l);
  ASSERT_EQ(s.waits.size(), 1U);
  EXPECT_EQ(s.waits[0].object, 0x1000U);
  EXPECT_EQ(s.waits[0].region, 1U);
  EXPECT_EQ(s.waits[0].sum_ns, 50'000U);
  const auto found = findings_of(l, s);
  const auto lock = std::find_if(found.begin(), found.end(), [](const finding& f) {
    return std::string(f.key) == "contended_lock";
  });
  ASSERT_NE(lock, found.end());
  EXPECT_EQ(lock->what,
            "1 waits for one mutex (at 0x1000) in 'parse' took 50 us in all, 50 us at most.");
}

// A wake-up takes no longer than its worker has slept.
TEST(Summary, AWakeUpIsNoLongerThanTheSleep) {
  heist::trace::log l;
  l.duration_ns = 1000;
  l.lanes = {{"heist/0", 0, 0, true, 0}};
  l.events = {{0, 0, event_kind::idle_begin},
              {900, 0, event_kind::park},
              {950, 0, event_kind::wake, 0, no_lane, 0, 5000}};
  EXPECT_DOUBLE_EQ(summarise(l).wake_ns.greatest, 50);
}

// A region that was passed several times has a measure of its noise.
TEST(Difference, IsBeyondTheNoiseOrNot) {
  const auto run = [](std::initializer_list<std::uint64_t> passes) {
    recording r;
    r.lanes = {{"heist/0", 0, 0, true, 0}};
    r.names = {"", "parse"};
    for (const std::uint64_t ns : passes) {
      r.events.push_back({r.duration_ns, 0, event_kind::region_begin, 1});
      r.duration_ns += ns;
      r.events.push_back({r.duration_ns, 0, event_kind::region_end, 1});
    }
    return r;
  };
  const auto compared_with = [&](const recording& after) {
    const recording before = run({100, 102, 98, 100});
    return compare(before, summarise(before), after, summarise(after));
  };
  const difference faster = compared_with(run({50, 51, 49, 50}));
  ASSERT_EQ(faster.passes.size(), 1U);
  EXPECT_EQ(faster.passes[0].what, "parse");
  EXPECT_NEAR(faster.passes[0].change(), -0.5, 1e-9);
  EXPECT_TRUE(faster.passes[0].is_clear());
  EXPECT_DOUBLE_EQ(faster.regions.at(0).before, 400);
  EXPECT_FALSE(compared_with(run({101, 99, 102, 100})).passes[0].is_clear());
  EXPECT_TRUE(compared_with(run({100})).passes.empty());
}

TEST(Window, BeginsWithWhatLanesDidAlready) {
  recording whole;
  static_cast<heist::trace::log&>(whole) = sample_log();
  const recording part = part_of(whole, 200'000, 460'000);
  EXPECT_EQ(part.duration_ns, 260'000U);
  EXPECT_EQ(to_text(part),
            "0 0-260 working 1\n"
            "1 0-50 parked serial_phase\n"
            "1 50-100 idle serial_phase\n"
            "1 100-200 working 1\n"
            "1 200-260 working\n"
            "2 0-260 working 1\n");
  EXPECT_EQ(summarise(part).steal_ns.count, 2U);
}

TEST(Summary, AddsUpWhatTheSlicesSay) {
  const summary s = summarise(sample_log(), 10);
  EXPECT_EQ(s.workers, 2U);
  EXPECT_EQ(s.capacity_ns, 950'000U + 1'000'000U);
  EXPECT_EQ(s.work_ns, 850'000U + 700'000U);
  EXPECT_EQ(s.all_idle_ns(), s.capacity_ns - s.work_ns);
  EXPECT_EQ(s.lost_events, 7U);
  EXPECT_EQ(s.steal_ns.count, 2U);
  EXPECT_DOUBLE_EQ(s.steal_ns.mean(), 100);
  EXPECT_EQ(s.wake_ns.count, 1U);
  EXPECT_EQ(s.job_ns.count, 1U);
  EXPECT_DOUBLE_EQ(s.job_ns.median, 100'000);
  EXPECT_EQ(s.lanes[1].steals, 2U);
  ASSERT_EQ(s.use.size(), 10U);
  EXPECT_NEAR(s.use[0][0], 0, 1e-9);
  EXPECT_NEAR(s.use[0][1], 2, 1e-9);
  EXPECT_NEAR(s.use[1][0], 1, 1e-9);
  EXPECT_NEAR(s.use[5][0], 2, 1e-9);
  double worked = 0;
  double all = 0;
  for (const auto& step : s.use) {
    worked += step[0];
    all += std::accumulate(step.begin(), step.end(), 0.0);
  }
  EXPECT_NEAR(worked / 10, static_cast<double>(s.work_ns) / 1'000'000, 1e-9);
  EXPECT_NEAR(all / 10, static_cast<double>(s.capacity_ns) / 1'000'000, 1e-9);
  EXPECT_EQ(s.spell_ns.count, 2U);
  EXPECT_EQ(s.steal_places, std::vector<std::uint64_t>({0, 1}));
  EXPECT_EQ(s.events[static_cast<std::size_t>(event_kind::steal)], 2U);
}

TEST(Summary, KnowsWhatEachRegionCost) {
  const summary s = summarise(sample_log());
  ASSERT_GE(s.regions.size(), 2U);
  EXPECT_EQ(s.regions[0].number, 1U);
  // Worker 0: 400 + 50, worker 1: 100 + 300, the main thread: 800, all in us.
  EXPECT_EQ(s.regions[0].work_ns, 1'650'000U);
  EXPECT_EQ(s.regions[0].span_ns, 950'000U);
  EXPECT_EQ(s.regions[0].entered, 1U);
  // The main thread alone, 50 us, and worker 1 alone, 50 us.
  EXPECT_EQ(s.regions[0].alone_ns, 100'000U);
}

// One worker works in a region for 600 of 1,000 us while the other one has nothing to steal; then
// both work.
TEST(Findings, NameTheRegionThatRanAlone) {
  using enum event_kind;
  heist::trace::recording l;
  l.duration_ns = 1'000'000;
  l.lanes = {{"heist/0", 0, 0, true, 0}, {"heist/1", 0, 1, true, 0}};
  l.names = {"", "parse", "sum"};
  l.events = {{0, 0, job_begin, 1, 1, 0, 0},
              {0, 1, idle_begin, 0, 0, 0, 0},
              {600'000, 0, region_begin, 2, 0, 1, 0},
              {600'000, 1, idle_end, 0, 2, 0, 0},
              {600'000, 1, job_begin, 2, 0, 0, 0}};
  const auto found = findings_of(l, summarise(l));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(
      found[0].what,
      "100 % of all idle time: nothing to steal while 'parse' ran on one worker, for 60 % of the "
      "run (600 us).");
  EXPECT_EQ(found[0].remedy, "Split 'parse', or run it beside something else.");
  EXPECT_NEAR(found[0].weight, 0.3, 1e-9);
}

// The pool has nothing to do while a thread outside works; then one worker runs, and says nothing
// about the other one's reason that holds for all of its sleep.
TEST(Summary, CorrectsTheReasonOfASpellByWhoWorked) {
  using enum event_kind;
  heist::trace::recording l;
  l.duration_ns = 1'000'000;
  l.lanes = {
      {"heist/0", 0, 0, true, 0}, {"heist/1", 0, 1, true, 0}, {"main thread", 0, 0, false, 0}};
  l.names = {"", "read"};
  l.events = {{0, 0, idle_begin, 0, 0, 0, 0},       {0, 1, idle_begin, 0, 0, 0, 0},
              {0, 2, region_begin, 1, 0, 0, 0},     {500'000, 0, idle_end, 0, 0, 0, 0},
              {500'000, 2, region_end, 1, 0, 0, 0}, {500'000, 0, job_begin, 0, 1, 0, 0}};
  const summary s = summarise(l);
  const auto idle = [&](idle_cause c) { return s.idle_ns[static_cast<std::size_t>(c)]; };
  EXPECT_EQ(idle(idle_cause::not_given), 1'000'000U);
  EXPECT_EQ(idle(idle_cause::serial_phase), 500'000U);
  EXPECT_EQ(s.all_idle_ns(), 1'500'000U);
  const auto found = findings_of(l, s);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].what,
            "67 % of all idle time: nothing was given to the pool while 'read' ran outside of it, "
            "for 50 % of the run (500 us).");
  EXPECT_EQ(found[1].what,
            "33 % of all idle time: nothing to steal while code outside of any region ran on one "
            "worker, for 50 % of the run (500 us).");
}

TEST(Summary, ACallerThatWorksInTheSeatOfASleeperMakesThePoolNoIdler) {
  using enum event_kind;
  heist::trace::recording l;
  l.duration_ns = 100;
  l.lanes = {{"heist/0", 0, 0, true, 0}, {"heist/1", 0, 1, true, 0}, {"main", 0, 0, false, 0}};
  l.events = {{0, 0, job_begin, 0, 1, 0, 0}, {0, 1, idle_begin, 0, 0, 0, 0},
              {0, 1, park, 0, 0, 0, 0},      {0, 2, job_begin, 0, 1, 0, 0},
              {60, 2, job_end, 0, 0, 0, 0},  {100, 0, job_end, 0, 0, 0, 0}};
  const summary s = summarise(l, 2);
  EXPECT_EQ(s.work_ns, 160U);
  EXPECT_EQ(s.all_idle_ns(), 40U);
  EXPECT_EQ(s.use[0], (std::array<double, state_count>{2, 0, 0, 0}));
  EXPECT_NEAR(s.use[1][2], 0.8, 1e-9);
}

// A blocking call on a worker's own thread is no idle time, nor work.
TEST(Summary, WhatIsBlockedIsNotIdle) {
  using enum event_kind;
  heist::trace::recording l;
  l.duration_ns = 100;
  l.lanes = {{"heist/0", 0, 0, true, 0}, {"heist/1", 0, 1, true, 0}};
  l.events = {{0, 0, block_begin, 0, 0, 0, 0}, {0, 1, idle_begin, 0, 0, 0, 0}};
  const summary s = summarise(l, 1);
  EXPECT_EQ(s.capacity_ns, 200U);
  EXPECT_EQ(s.work_ns, 0U);
  EXPECT_EQ(s.all_idle_ns(), 100U);
  EXPECT_EQ(s.use[0], (std::array<double, state_count>{0, 1, 0, 1}));
}

// What a profile says is a finding, too, and so is a worker that has more than its part.
TEST(Findings, KnowTheProfileAndTheBusiestWorker) {
  using enum event_kind;
  heist::trace::recording l;
  l.duration_ns = 1'000;
  l.lanes = {{"main", 0, 0, false, 0}, {"heist/0", 1, 0, true, 0}, {"heist/1", 1, 1, true, 0}};
  l.names = {"", "parse"};
  l.events = {{0, 1, job_begin, 1, 1, 0, 0}, {0, 2, idle_begin, 0, 0, 0, 0}};
  l.profile = {
      {"work", 1e-6},
      {"span", 8e-7},
      {"parallelism", 1.25},
      {"burdened_parallelism", 0.5},
      {"regions", {{{"name", ""}, {"on_path", 1e-7}}, {{"name", "all/parse"}, {"on_path", 4e-7}}}}};
  const auto found = findings_of(l, summarise(l));
  const auto of = [&](const std::string& key) {
    for (const finding& f : found)
      if (f.key == key) return f.what + " " + f.remedy;
    return std::string("none");
  };
  EXPECT_EQ(
      of("serial_phase"),
      "100 % of all idle time: nothing to steal while 'parse' ran on one worker, for 100 % of "
      "the run (1 us). Split 'parse', or run it beside something else. It is 50 % of the "
      "critical path.");
  EXPECT_EQ(of("parallelism"),
            "The program's parallelism is 1.25: no number of processors makes it more than 1.25 "
            "times as fast as one. Its work T1 takes 1 us, its span Tinf 800 ns: shorten "
            "'all/parse', which is 50 % of the critical path.");
  EXPECT_EQ(of("burden").substr(0, 74),
            "With the costs of forks and steals the parallelism of 1.25 becomes 0.5. Th");
  EXPECT_EQ(of("imbalance").substr(0, 61),
            "The busiest worker worked 2 times as long as the mean of all.");
  // Two workers want 16 pieces.
  l.profile = {{"forks", 10}, {"spawns", 4}};
  EXPECT_EQ(findings_of(l, summarise(l)).size(), found.size() - 1);  // and not the other two
  l.profile["spawns"] = 5;
  EXPECT_EQ(findings_of(l, summarise(l)).size(), found.size() - 2);
  l.profile = nlohmann::json::parse(R"({"parallelism": "x", "regions": [3, {"name": 4}]})");
  EXPECT_NO_THROW((void)findings_of(l, summarise(l)));
  l.profile = 7;
  EXPECT_NO_THROW((void)findings_of(l, summarise(l)));
}

// Three units of work, of which one was done alone: on two processors 3 / (1 + 2/2).
TEST(Summary, BoundsTheSpeedUpByWhatOneThreadDidAlone) {
  using enum event_kind;
  recording l;
  l.duration_ns = 200;
  l.lanes = {{"heist/0", 0, 0, true, 0}, {"heist/1", 0, 1, true, 0}};
  l.events = {{0, 0, job_begin, 0, 1, 0, 0},
              {0, 1, job_begin, 0, 0, 0, 0},
              {100, 1, job_end, 0, 0, 0, 0},
              {100, 1, idle_begin, 0, 0, 0, 0}};
  const summary s = summarise(l);
  EXPECT_EQ(s.busy_ns, 300U);
  EXPECT_EQ(s.alone_ns, 100U);
  EXPECT_DOUBLE_EQ(most_speedup(s, 1), 1);
  EXPECT_DOUBLE_EQ(most_speedup(s, 2), 1.5);
  EXPECT_DOUBLE_EQ(most_speedup(s, HUGE_VAL), 3);
  EXPECT_EQ(most_speedup(summary{}, 2), 0);
}

TEST(Summary, EveryCauseHasWords) {
  for (std::size_t k = 0; k < cause_count; ++k)
    EXPECT_FALSE(words_for(static_cast<idle_cause>(k)).empty()) << cause_names[k];
}

TEST(Findings, SayWhenThereIsNothingToComplainAbout) {
  using enum event_kind;
  heist::trace::recording l;
  l.duration_ns = 1'000'000;
  l.lanes = {{"heist/0", 0, 0, true, 0}};
  l.events = {{0, 0, job_begin, 0, 1, 0, 0}};
  const auto found = findings_of(l, summarise(l));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].what, "The workers worked for 100.0 % of the time.");
  EXPECT_EQ(findings_of(recording{}, summarise(recording{})).size(), 1U);
}

}  // namespace
}  // namespace heist_test
