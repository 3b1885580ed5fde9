// Traces of programs whose steals, waits, parks and regions are known.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
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

  // The values of the program's own counter.
  static std::vector<double> values_of(const recording& r, const std::string& name) {
    std::vector<double> found;
    for (const event& e : of_kind(r, event_kind::counter))
      if (r.names[e.name] == name) found.push_back(e.value);
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
  EXPECT_EQ(values_of(t, "items"), (std::vector<double>{3, 4.5}));
  const auto ends = of_kind(t, event_kind::region_end);
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_EQ(t.names[ends[0].name], "inner");
  EXPECT_EQ(t.names[ends[0].b], "outer");
  EXPECT_EQ(ends[1].b, 0U);
}

// A thread that has its place in a trace may be slow to see that it has ended, and then adds events
// whose names are no part of it.
TEST_F(TraceRecord, EndsWhileAThreadGoesOnWithNewNames) {
  heist::pool p({.workers = 1});
  std::atomic<bool> ends{false};
  std::jthread other([&] {
    for (int i = 0; !ends.load(); ++i) {
      const std::string name = "new name " + std::to_string(i % 40'000);
      const heist::region here(name.c_str());
    }
  });
  for (int i = 0; i < 100; ++i) {
    p.start_trace(1024);
    linger(50us);
    EXPECT_NO_THROW(static_cast<void>(stop(p)));
  }
  ends = true;
}

TEST_F(TraceRecord, KeepsTheNewestEventsAndSaysHowManyAreLost) {
  heist::pool p({.workers = 1});
  p.start_trace(1024);
  for (int i = 0; i < 5000; ++i) heist::trace_counter("i", i);
  const recording t = stop(p);
  const std::vector<double> values = values_of(t, "i");
  ASSERT_GE(values.size(), 1000U);
  EXPECT_EQ(values.back(), 4999);
  EXPECT_EQ(values.front(), 5000 - static_cast<double>(values.size()));
  std::uint64_t lost = 0;
  for (const auto& l : t.lanes) lost += l.lost_events;
  // With them what the thread says of its use of processors, once a millisecond.
  EXPECT_GE(lost, 5000 - values.size());
  EXPECT_LE(lost, 5000 - values.size() + 10 + t.duration_ns / 1'000'000);
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
  const auto record = [&is_over] {
    for (int n = 0; !is_over; ++n) {
      const heist::region r(n % 2 == 0 ? "even" : "odd");
      heist::trace_counter("n", n);
    }
  };
  const auto work = [&] {
    while (!is_over) p.run([] { fib(16); });
  };
  // Joins them if the reader throws, too.
  struct recorders {
    std::atomic<bool>& is_over;
    std::vector<std::thread> threads;
    ~recorders() {
      is_over = true;
      for (std::thread& t : threads) t.join();
    }
  } those{is_over, {}};
  those.threads.emplace_back(record);
  those.threads.emplace_back(record);
  those.threads.emplace_back(work);
  for (int round = 0; round < scaled(20); ++round) {
    p.start_trace(1024);
    linger(2ms);
    const recording t = stop(p);  // the reader checks what the events hold
    std::map<std::uint32_t, double> last;
    for (const event& e : of_kind(t, event_kind::counter)) {
      if (t.names[e.name] != "n") continue;
      const auto [at, is_new] = last.try_emplace(e.lane, e.value);
      if (!is_new) {
        EXPECT_EQ(e.value, at->second + 1);
      }
      at->second = e.value;
    }
  }
}

// In whatever way the program ends, the file has what happened until then.
TEST_F(TraceRecord, SurvivesTheProgram) {
  if (emulated || tsan)
    GTEST_SKIP() << "an emulator ends otherwise, and no thread starts in a child";
  struct way {
    const char* name;
    void (*end)();
  };
  const way ways[] = {
      {"killed", [] { ::raise(SIGKILL); }},
      {"terminated", [] { ::raise(SIGTERM); }},
      {"aborted", [] { std::abort(); }},
      {"exited at once", [] { ::_exit(1); }},
      {"replaced", [] { ::execl("/bin/true", "true", nullptr); }},
      {"uncaught", [] { std::terminate(); }},
  };
  for (const way& w : ways) {
    SCOPED_TRACE(w.name);
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(60);
      ::signal(SIGABRT, SIG_DFL);
      heist::pool p({.workers = 2});
      p.start_trace(path_);
      p.run([&] {
        const heist::region r("the last one");
        force_a_steal(p);
        heist::trace_counter("reached", 7);
        w.end();
      });
      ::_exit(99);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_FALSE(std::filesystem::exists(path_));
    const std::string partial = path_ + ".partial-" + std::to_string(child);
    const recording t = heist::trace::read_recording(partial);
    EXPECT_EQ(t.end, heist::trace::ending::none);
    EXPECT_EQ(of_kind(t, event_kind::steal).size(), 1U);
    EXPECT_EQ(values_of(t, "reached"), std::vector<double>{7});
    const auto begun = of_kind(t, event_kind::region_begin);
    ASSERT_EQ(begun.size(), 1U);
    EXPECT_EQ(t.names[begun[0].name], "the last one");
    EXPECT_EQ(heist::trace::summarise(t).workers, 2U);
    std::filesystem::remove(partial);
  }
}

TEST_F(TraceRecord, OfAFileIsThereUnderItsNameAtTheEnd) {
  heist::pool p({.workers = 2, .callers = heist::caller_kind::wait});
  EXPECT_THROW(p.start_trace("trace.txt"), heist::usage_error);
  EXPECT_THROW(p.start_trace("/no/such/folder/t.htrace"), heist::resource_error);
  for (const bool as_json : {false, true}) {
    const std::string path = as_json ? path_ + ".json" : path_;
    p.start_trace(path, 1024);
    p.run([&] {
      for (int i = 0; i < 5000; ++i) heist::trace_counter("i", i);
    });
    p.stop_trace(path);
    const recording t = heist::trace::read_recording(path);
    EXPECT_EQ(t.end, heist::trace::ending::complete);
    EXPECT_GE(values_of(t, "i").size(), 1000U);
    EXPECT_EQ(values_of(t, "i").back(), 4999);
    EXPECT_EQ(t.statistics[0]["total"]["steals"], p.stats().total.steals);
    std::filesystem::remove(path);
  }
  for (const auto& left : std::filesystem::directory_iterator(testing::TempDir()))
    EXPECT_FALSE(left.path().string().starts_with(path_)) << left.path();
}

// A child of fork() doesn't write into its parent's trace, and can record one itself.
TEST_F(TraceRecord, OfAParentIsNotThatOfItsChild) {
  if (tsan) GTEST_SKIP() << "ThreadSanitizer starts no thread in a child";
  heist::pool p({.workers = 1});
  p.start_trace(path_);
  heist::trace_counter("parent", 1);
  const std::string of_child = path_ + ".child.htrace";
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    heist::trace_counter("child", 1);
    {
      heist::pool own({.workers = 1});
      own.start_trace(of_child);
      heist::trace_counter("child", 2);
      own.stop_trace(of_child);
    }
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  heist::trace_counter("parent", 2);
  EXPECT_EQ(values_of(stop(p), "parent"), (std::vector<double>{1, 2}));
  const recording t = heist::trace::read_recording(of_child);
  EXPECT_EQ(values_of(t, "child"), std::vector<double>{2});
  std::filesystem::remove(of_child);
}

// One function holds the lock for 2 ms, and another one waits for it.
void contend(heist::pool& p, heist::mutex& m) {
  p.run([&] {
    const heist::region r("locking");
    std::atomic<bool> is_held{false};
    heist::fork_join(
        [&] {
          EXPECT_TRUE(eventually([&] { return is_held.load(); }));
          const std::lock_guard hold(m);
        },
        [&] {
          const std::lock_guard hold(m);
          is_held = true;
          EXPECT_TRUE(eventually([&] {
            return heist::describe_pools().find("suspended fibers: 1") != std::string::npos;
          }));
          linger(2ms);
        });
  });
}

// What a recording says of that wait.
heist::trace::wait_summary wait_for_a_mutex(const recording& t) {
  for (const auto& w : heist::trace::summarise(t).waits)
    if (std::string(heist::trace::awaited_names[w.kind]) == "mutex") return w;
  ADD_FAILURE() << "nobody waited for a mutex";
  return {};
}

// Who waits for which lock, and for how long.
TEST_F(TraceRecord, KnowsWhatWasWaitedFor) {
  heist::pool p({.workers = 2, .callers = heist::caller_kind::wait});
  heist::mutex m;
  p.start_trace();
  contend(p, m);
  const recording t = stop(p);
  const auto lock = wait_for_a_mutex(t);
  EXPECT_EQ(lock.object, reinterpret_cast<std::uintptr_t>(&m));
  EXPECT_EQ(t.names[lock.region], "locking");
  EXPECT_EQ(t.names[lock.name], "");
  EXPECT_EQ(lock.count, 1U);
  EXPECT_GE(lock.sum_ns, 2'000'000U);
}

// And under HEIST_CHECK=1, which stays on for ever, what the lock is called and where it was made.
TEST_F(TraceRecord, KnowsTheNamesOfLocksWhereWaitsAreChecked) {
  if (tsan) GTEST_SKIP() << "ThreadSanitizer starts no thread in a child";
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    heist::detail::checking_waits.store(true);
    heist::pool p({.workers = 2, .callers = heist::caller_kind::wait});
    heist::mutex m;
    heist::detail::name_object(&m, "accounts");
    p.start_trace(path_);
    contend(p, m);
    p.stop_trace(path_);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  const recording t = heist::trace::read_recording(path_);
  const std::string name = t.names[wait_for_a_mutex(t).name];
  EXPECT_EQ(name.substr(0, 18), "accounts, made at ") << name;
  EXPECT_NE(name.find("trace_record_test.cpp:"), std::string::npos) << name;
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
