// Traces of programs whose steals, waits, parks and regions are known.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "heist/heist.hpp"
#include "recording/recording.hpp"
#include "recording/summary.hpp"
#include "tests/unit/runtime/fib.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

using namespace std::chrono_literals;
using heist::trace::event;
using heist::trace::event_kind;
using heist::trace::recording;

class TraceRecord : public testing::Test {
 protected:
  void SetUp() override {
    if (is_serial()) GTEST_SKIP() << "nothing is recorded where all is a call";
  }
  void TearDown() override { std::filesystem::remove(path_); }
  recording stop(heist::pool& p) {
    p.stop_trace(path_);
    return heist::trace::read_recording(path_);
  }
  static std::vector<event> of_kind(const recording& r, event_kind kind) {
    std::vector<event> found;
    for (const event& e : r.events)
      if (e.kind == kind) found.push_back(e);
    return found;
  }

  const watchdog guard_{"tracing"};
  const std::string path_ = testing::TempDir() + "heist-trace-" + std::to_string(::getpid()) + "-" +
                            testing::UnitTest::GetInstance()->current_test_info()->name() +
                            ".htrace";
};

// The second worker must take the one job that there is: the first one waits for it to begin. And
// that job waits until the first worker waits for it.
void force_a_steal(heist::pool& p) {
  const std::uint64_t waits = p.stats().total.suspends;
  std::atomic<bool> has_begun{false};
  heist::fork_join([&] { ASSERT_TRUE(eventually([&] { return has_begun.load(); })); },
                   [&] {
                     has_begun = true;
                     ASSERT_TRUE(eventually([&] { return p.stats().total.suspends > waits; }));
                     linger(2ms);
                   });
}

TEST_F(TraceRecord, HasTheStealTheWaitAndTheRegion) {
  heist::pool p({.workers = 2, .callers = heist::caller_kind::wait});
  p.start_trace();
  p.run([&p] {
    const heist::region r("forced");
    force_a_steal(p);
  });
  const recording t = stop(p);
  const auto steals = of_kind(t, event_kind::steal);
  ASSERT_EQ(steals.size(), 1U);
  const event& steal = steals[0];
  ASSERT_LT(steal.a, t.lanes.size());
  EXPECT_NE(steal.a, steal.lane);
  EXPECT_EQ(steal.b, 1U);
  EXPECT_GT(steal.value, 0);
  const auto begun = of_kind(t, event_kind::region_begin);
  ASSERT_EQ(begun.size(), 1U);
  EXPECT_EQ(t.names[begun[0].name], "forced");
  EXPECT_EQ(begun[0].lane, steal.a);
  ASSERT_EQ(of_kind(t, event_kind::region_end).size(), 1U);
  // The stolen job belongs to the region, and takes 2 ms.
  for (const event& e : of_kind(t, event_kind::job_begin)) {
    const bool is_stolen = e.a == static_cast<std::uint32_t>(heist::trace::job_source::stolen);
    EXPECT_EQ(is_stolen, e.lane == steal.lane);
    EXPECT_EQ(t.names[e.name], is_stolen ? "forced" : "");
  }
  const auto waits = of_kind(t, event_kind::suspend);
  const auto resumes = of_kind(t, event_kind::resume);
  ASSERT_EQ(waits.size(), 1U);
  ASSERT_EQ(resumes.size(), 1U);
  EXPECT_EQ(waits[0].a, resumes[0].a);
  EXPECT_EQ(resumes[0].b, waits[0].lane);
  EXPECT_EQ(t.names[resumes[0].name], "forced");
  EXPECT_GE(resumes[0].time_ns, steal.time_ns + 2'000'000);
  EXPECT_EQ(t.statistics[0]["total"]["steals"], p.stats().total.steals);
}

TEST_F(TraceRecord, ShowsParksAndWhoWokeWhom) {
  heist::pool p({.workers = 2, .callers = heist::caller_kind::wait});
  ASSERT_TRUE(eventually([&] { return p.stats().total.parks >= 2; }));
  p.start_trace();
  p.run([] { linger(100us); });
  ASSERT_TRUE(eventually([&] { return p.stats().total.parks >= 3; }));
  const recording t = stop(p);
  const auto wakes = of_kind(t, event_kind::wake);
  ASSERT_GE(wakes.size(), 1U);
  EXPECT_GT(wakes[0].value, 0);
  ASSERT_NE(wakes[0].a, heist::trace::no_lane);
  EXPECT_EQ(t.lanes[wakes[0].a].name, "main thread");
  // A worker that slept through all of it shows too.
  unsigned workers = 0;
  for (const auto& l : t.lanes) workers += l.is_worker ? 1 : 0;
  EXPECT_EQ(workers, 2U);
  const auto s = heist::trace::summarise(t);
  EXPECT_NEAR(static_cast<double>(s.capacity_ns), 2 * static_cast<double>(t.duration_ns), 1e6);
}

TEST_F(TraceRecord, HasCountersAndRegionsOfThreadsOutside) {
  heist::pool p({.workers = 1});
  p.start_trace();
  {
    const heist::region outer("outer");
    const heist::region inner("inner");
    heist::trace_counter("items", 3);
    heist::trace_counter("items", 4.5);
  }
  const recording t = stop(p);
  const auto values = of_kind(t, event_kind::counter);
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(t.names[values[0].name], "items");
  EXPECT_EQ(values[0].value, 3);
  EXPECT_EQ(values[1].value, 4.5);
  const auto ends = of_kind(t, event_kind::region_end);
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_EQ(t.names[ends[0].name], "inner");
  EXPECT_EQ(t.names[ends[0].b], "outer");
  EXPECT_EQ(ends[1].b, 0U);
}

TEST_F(TraceRecord, KeepsTheNewestEventsAndSaysHowManyAreLost) {
  heist::pool p({.workers = 1});
  p.start_trace(1024);
  for (int i = 0; i < 5000; ++i) heist::trace_counter("i", i);
  const recording t = stop(p);
  const auto values = of_kind(t, event_kind::counter);
  ASSERT_GE(values.size(), 1023U);
  EXPECT_EQ(values.back().value, 4999);
  EXPECT_EQ(values.front().value, 5000 - static_cast<double>(values.size()));
  std::uint64_t lost = 0;
  for (const auto& l : t.lanes) lost += l.lost_events;
  EXPECT_EQ(lost, 5000 - values.size());
}

TEST_F(TraceRecord, IsOfOnePool) {
  heist::pool p({.workers = 2, .callers = heist::caller_kind::wait, .name = "traced"});
  heist::pool other({.workers = 2, .callers = heist::caller_kind::wait, .name = "other"});
  p.start_trace();
  other.run([&] { force_a_steal(other); });
  EXPECT_THROW(other.stop_trace(path_), heist::usage_error);
  EXPECT_THROW(other.start_trace(), heist::usage_error);
  p.run([&] { force_a_steal(p); });
  const recording t = stop(p);
  EXPECT_EQ(of_kind(t, event_kind::steal).size(), 1U);
  for (const auto& l : t.lanes)
    if (l.is_worker) {
      EXPECT_EQ(l.name.substr(0, 7), "traced/");
    }
}

TEST_F(TraceRecord, RefusesWhatMakesNoSense) {
  heist::pool p({.workers = 1});
  EXPECT_THROW(p.stop_trace(path_), heist::usage_error);
  EXPECT_THROW(p.start_trace(1), heist::usage_error);
  EXPECT_THROW(p.start_trace(std::size_t{1} << 30), heist::usage_error);
  p.start_trace();
  EXPECT_THROW(p.stop_trace("trace.txt"), heist::usage_error);
  EXPECT_THROW(p.stop_trace("/no/such/folder/t.json"), heist::resource_error);
  EXPECT_THROW(p.stop_trace(path_), heist::usage_error);  // that recording is lost
}

// Threads record while the trace is stopped, and in the next ones.
TEST_F(TraceRecord, MayBeStoppedWhileAllRecord) {
  heist::pool p({.workers = 3});
  std::atomic<bool> is_over{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&is_over] {
      for (int n = 0; !is_over; ++n) {
        const heist::region r(n % 2 == 0 ? "even" : "odd");
        heist::trace_counter("n", n);
      }
    });
  std::thread work([&] {
    while (!is_over) p.run([] { fib(16); });
  });
  for (int round = 0; round < scaled(20); ++round) {
    p.start_trace(1024);
    linger(2ms);
    const recording t = stop(p);  // the reader checks what the events hold
    std::map<std::uint32_t, double> last;
    for (const event& e : of_kind(t, event_kind::counter)) {
      const auto [at, is_new] = last.try_emplace(e.lane, e.value);
      if (!is_new) {
        EXPECT_EQ(e.value, at->second + 1);
      }
      at->second = e.value;
    }
  }
  is_over = true;
  for (std::thread& t : threads) t.join();
  work.join();
}

TEST_F(TraceRecord, IsOnFromItsBeginToItsEnd) {
  heist::pool p({.workers = 1});
  EXPECT_FALSE(heist::detail::observers.load() & 1U);
  p.start_trace();
  EXPECT_TRUE(heist::detail::observers.load() & 1U);
  p.run([] { fib(10); });
  const recording t = stop(p);
  EXPECT_FALSE(heist::detail::observers.load() & 1U);
  EXPECT_EQ(t.program, "heist_trace_test");
  EXPECT_GT(t.duration_ns, 0U);
}

}  // namespace
}  // namespace heist_test
