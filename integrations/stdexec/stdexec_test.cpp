// A pool under stdexec's algorithms: the concepts hold, operations complete once and on workers,
// bulk is stolen from, and only those completions are promised that can happen.
#include "heist/integrations/stdexec.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <set>
#include <stdexcept>
#include <stdexec/execution.hpp>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "heist/sync/latch.hpp"
#include "heist/sync/mutex.hpp"

namespace heist_test {
namespace {

using scheduler = heist::integrations::stdexec_scheduler;
using heist::integrations::stealing_domain;
using sender = scheduler::sender;

struct stoppable_env {
  stdexec::inplace_stop_token token;
  [[nodiscard]] stdexec::inplace_stop_token query(stdexec::get_stop_token_t) const noexcept {
    return token;
  }
};
struct plain_env {};

static_assert(stdexec::scheduler<scheduler>);
static_assert(stdexec::sender<sender>);
static_assert(std::is_same_v<stdexec::completion_signatures_of_t<sender, plain_env>,
                             stdexec::completion_signatures<stdexec::set_value_t()>>);
static_assert(std::is_same_v<
              stdexec::completion_signatures_of_t<sender, stoppable_env>,
              stdexec::completion_signatures<stdexec::set_value_t(), stdexec::set_stopped_t()>>);

// A loop that can't throw and can't be stopped promises a value only.
constexpr auto quiet = [](int) noexcept {};
constexpr auto loud = [](int) {};
using quiet_loop =
    decltype(stdexec::schedule(std::declval<scheduler>()) | stdexec::bulk(stdexec::par, 5, quiet));
using loud_loop =
    decltype(stdexec::schedule(std::declval<scheduler>()) | stdexec::bulk(stdexec::par, 5, loud));
static_assert(stdexec::sender<quiet_loop>);
static_assert(std::is_same_v<stdexec::completion_signatures_of_t<quiet_loop, plain_env>,
                             stdexec::completion_signatures<stdexec::set_value_t()>>);
static_assert(
    std::is_same_v<stdexec::completion_signatures_of_t<loud_loop, plain_env>,
                   stdexec::completion_signatures<stdexec::set_value_t(),
                                                  stdexec::set_error_t(std::exception_ptr)>>);

class StdexecScheduler : public testing::TestWithParam<unsigned> {
 protected:
  // How many workers have run something of what f(note) describes; note() is to be called there.
  template <class F>
  std::size_t workers_of(F&& f) {
    heist::mutex guard;
    std::set<int> seen;  // guarded by guard
    f([&] {
      const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(100);
      while (std::chrono::steady_clock::now() < end) {
      }
      const std::lock_guard hold(guard);
      seen.insert(pool_.worker_index());
    });
    EXPECT_FALSE(seen.contains(-1));
    return seen.size();
  }

  heist::pool pool_{{.workers = GetParam()}};
  scheduler on_{pool_};
};
INSTANTIATE_TEST_SUITE_P(Workers, StdexecScheduler, testing::Values(1, 2, 3, 8));

TEST_P(StdexecScheduler, CompletesOnAWorker) {
  auto [worker] = stdexec::sync_wait(stdexec::schedule(on_) |
                                     stdexec::then([&] { return pool_.worker_index(); }))
                      .value();
  EXPECT_GE(worker, 0);
}

TEST_P(StdexecScheduler, QueriesAndEquality) {
  heist::pool other({.workers = 1});
  EXPECT_TRUE(on_ == scheduler(heist::scheduler(pool_)));
  EXPECT_FALSE(on_ == scheduler(other));
  EXPECT_TRUE(stdexec::get_forward_progress_guarantee(on_) ==
              stdexec::forward_progress_guarantee::parallel);
  EXPECT_TRUE((std::is_same_v<decltype(stdexec::get_domain(on_)), stealing_domain>));
  EXPECT_TRUE(stdexec::get_completion_scheduler<stdexec::set_value_t>(
                  stdexec::get_env(stdexec::schedule(on_))) == on_);
  EXPECT_EQ(&heist::integrations::get_parallel_scheduler().where(), &heist::default_pool());
}

TEST_P(StdexecScheduler, AnExceptionArrives) {
  EXPECT_THROW(stdexec::sync_wait(stdexec::schedule(on_) |
                                  stdexec::then([]() -> int { throw std::domain_error("no"); })),
               std::domain_error);
}

TEST_P(StdexecScheduler, BulkCallsEveryIndexOnceOnManyWorkers) {
  constexpr std::size_t n = 10'000;
  std::vector<std::atomic<int>> calls(n);
  auto result = stdexec::sync_wait(
      stdexec::schedule(on_) |
      stdexec::bulk(stdexec::par, n, [&](std::size_t i) noexcept { calls[i].fetch_add(1); }) |
      stdexec::then([] { return 7; }));
  EXPECT_EQ(std::get<0>(result.value()), 7);
  for (const auto& c : calls) ASSERT_EQ(c.load(), 1);

  const auto steal = [&](auto note) {
    stdexec::sync_wait(stdexec::schedule(on_) |
                       stdexec::bulk(stdexec::par, 64, [&](int) { note(); }));
  };
  std::size_t most = 0;
  for (int round = 0; round < 1000 && most < std::min(2U, GetParam()); ++round)
    most = std::max(most, workers_of(steal));
  EXPECT_EQ(most > 1, GetParam() > 1);
}

TEST_P(StdexecScheduler, ChunksMakeUpTheRange) {
  constexpr int n = 5'000;
  std::vector<std::atomic<int>> calls(n);
  std::atomic<int> wrong{0};
  stdexec::sync_wait(stdexec::schedule(on_) |
                     stdexec::bulk_chunked(stdexec::par, n, [&](int first, int last) {
                       if (first < 0 || first >= last || last > n) return void(++wrong);
                       for (int i = first; i < last; ++i)
                         calls[static_cast<std::size_t>(i)].fetch_add(1);
                     }));
  EXPECT_EQ(wrong.load(), 0);
  for (const auto& c : calls) ASSERT_EQ(c.load(), 1);

  std::atomic<int> sum{0};
  stdexec::sync_wait(stdexec::schedule(on_) |
                     stdexec::bulk_unchunked(stdexec::par, 100, [&](int i) { sum += i; }));
  EXPECT_EQ(sum.load(), 4950);
}

TEST_P(StdexecScheduler, ASequencedBulkIsInOrderOnOneWorker) {
  std::vector<int> order;
  stdexec::sync_wait(stdexec::schedule(on_) |
                     stdexec::bulk(stdexec::seq, 1000, [&](int i) { order.push_back(i); }));
  ASSERT_EQ(order.size(), 1000U);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(order[static_cast<std::size_t>(i)], i);
}

TEST_P(StdexecScheduler, BulkSeesAndSendsTheValues) {
  auto loop =
      stdexec::schedule(on_) | stdexec::then([] { return std::vector<int>(1000, 1); }) |
      stdexec::bulk(stdexec::par, 1000,
                    [](int i, std::vector<int>& v) { v[static_cast<std::size_t>(i)] += i; }) |
      stdexec::bulk(stdexec::par, 1000,
                    [](int i, std::vector<int>& v) { v[static_cast<std::size_t>(i)] *= 2; });
  auto [v] = stdexec::sync_wait(std::move(loop)).value();
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(v[static_cast<std::size_t>(i)], 2 * (1 + i));
}

TEST_P(StdexecScheduler, AFunctionOfBulkMayBeCopiedOnly) {
  const std::vector<int> addends(100, 2);
  std::atomic<int> sum{0};
  const auto add = [addends, &sum](int i) { sum += addends[static_cast<std::size_t>(i)]; };
  static_assert(!std::is_nothrow_move_constructible_v<decltype(add)>);
  const auto loop = stdexec::schedule(on_) | stdexec::bulk(stdexec::par, 100, add);
  stdexec::sync_wait(loop);
  stdexec::sync_wait(loop | stdexec::then([] {}));
  EXPECT_EQ(sum.load(), 400);
}

TEST_P(StdexecScheduler, BulkSendsTheLeftmostException) {
  try {
    stdexec::sync_wait(stdexec::schedule(on_) | stdexec::bulk(stdexec::par, 1000, [](int i) {
                         if (i % 400 == 399) throw i;
                       }));
    ADD_FAILURE() << "nothing was thrown";
  } catch (int i) {
    EXPECT_EQ(i, 399);
  }
}

TEST_P(StdexecScheduler, BulkThatIsStartedThereIsStolenFromToo) {
  const auto steal = [&](auto note) {
    stdexec::sync_wait(stdexec::starts_on(
        on_, stdexec::just() | stdexec::bulk(stdexec::par, 64, [&](int) { note(); })));
  };
  std::size_t most = 0;
  for (int round = 0; round < 1000 && most < std::min(2U, GetParam()); ++round)
    most = std::max(most, workers_of(steal));
  EXPECT_EQ(most > 1, GetParam() > 1);
}

TEST_P(StdexecScheduler, ContinuesOnThePoolAndBack) {
  heist::pool other({.workers = 1});
  auto [here, there, value] =
      stdexec::sync_wait(stdexec::just(20) | stdexec::continues_on(on_) | stdexec::then([&](int v) {
                           return std::pair(v + 1, pool_.worker_index() >= 0);
                         }) |
                         stdexec::continues_on(scheduler(other)) |
                         stdexec::let_value([&](std::pair<int, bool>& p) {
                           return stdexec::just(p.second, other.worker_index() >= 0, 2 * p.first);
                         }))
          .value();
  EXPECT_TRUE(here);
  EXPECT_TRUE(there);
  EXPECT_EQ(value, 42);
}

TEST_P(StdexecScheduler, LetValueMakesWorkOfAResult) {
  std::atomic<int> sum{0};
  auto work =
      stdexec::schedule(on_) | stdexec::then([] { return 100; }) | stdexec::let_value([&](int& n) {
        return stdexec::schedule(on_) | stdexec::bulk(stdexec::par, n, [&](int i) { sum += i; }) |
               stdexec::then([&] { return sum.load(); });
      });
  EXPECT_EQ(std::get<0>(stdexec::sync_wait(std::move(work)).value()), 4950);
}

TEST_P(StdexecScheduler, WhenAllRunsTheChildrenAtOnce) {
  // Each waits for the other, as fibers can, even on one worker.
  heist::latch both(2);
  const auto child = [&](int value) {
    return stdexec::schedule(on_) | stdexec::then([&both, value] {
             both.arrive_and_wait();
             return value;
           });
  };
  auto [a, b] = stdexec::sync_wait(stdexec::when_all(child(1), child(2))).value();
  EXPECT_EQ(10 * a + b, 12);
}

TEST_P(StdexecScheduler, AFailureStopsTheOtherChildren) {
  std::atomic<int> calls{0};
  constexpr int n = 100'000'000;
  auto failing = stdexec::schedule(on_) | stdexec::then([&] {
                   while (calls.load() == 0) std::this_thread::yield();
                   throw std::domain_error("no");
                 });
  auto long_loop =
      stdexec::schedule(on_) | stdexec::bulk(stdexec::par, n, [&](int) { calls.fetch_add(1); });
  if (GetParam() == 1) {  // the loop would have to end first
    calls = 1;
    EXPECT_THROW(stdexec::sync_wait(stdexec::when_all(std::move(failing))), std::domain_error);
    return;
  }
  EXPECT_THROW(stdexec::sync_wait(stdexec::when_all(std::move(long_loop), std::move(failing))),
               std::domain_error);
  EXPECT_LT(calls.load(), n);
}

// Counts how operations end.
struct outcome {
  heist::latch done{1};
  int values = 0, stops = 0, errors = 0;
};
struct stoppable_receiver {
  using receiver_concept = stdexec::receiver_t;
  outcome* of;
  stdexec::inplace_stop_token token;
  void set_value() noexcept { end(of->values); }
  void set_error(std::exception_ptr) noexcept { end(of->errors); }
  void set_stopped() noexcept { end(of->stops); }
  [[nodiscard]] stoppable_env get_env() const noexcept { return {token}; }

 private:
  void end(int& how) const noexcept {
    ++how;
    of->done.count_down();
  }
};

TEST_P(StdexecScheduler, AStopTokenStopsWhatHasNotBegun) {
  stdexec::inplace_stop_source stop;
  std::atomic<int> calls{0};
  const auto run = [&](auto&& s) {
    outcome o;
    auto operation =
        stdexec::connect(std::forward<decltype(s)>(s), stoppable_receiver{&o, stop.get_token()});
    stdexec::start(operation);
    o.done.wait();
    EXPECT_EQ(o.values + o.stops + o.errors, 1);
    return std::tuple(o.values, o.stops);
  };
  const auto loop = stdexec::schedule(on_) |
                    stdexec::bulk(stdexec::par, 10, [&](int) noexcept { calls.fetch_add(1); });
  EXPECT_EQ(run(stdexec::schedule(on_)), std::tuple(1, 0));
  EXPECT_EQ(run(loop), std::tuple(1, 0));
  EXPECT_EQ(calls.load(), 10);

  const auto stopping = stdexec::schedule(on_) | stdexec::bulk(stdexec::par, 100'000'000, [&](int) {
                          if (calls.fetch_add(1) == 10) stop.request_stop();
                        });
  EXPECT_EQ(run(stopping), std::tuple(0, 1));
  EXPECT_LT(calls.load(), 100'000'000);

  const int before = calls.load();
  EXPECT_EQ(run(stdexec::schedule(on_)), std::tuple(0, 1));
  EXPECT_EQ(run(loop), std::tuple(0, 1));
  EXPECT_EQ(calls.load(), before);
}

TEST_P(StdexecScheduler, ManyAtOnceFromManyThreads) {
  std::atomic<int> sum{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k)
        stdexec::sync_wait(stdexec::when_all(
            stdexec::schedule(on_) | stdexec::then([&] { sum += 1; }),
            stdexec::schedule(on_) | stdexec::bulk(stdexec::par, 10, [&](int) { sum += 1; })));
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(sum.load(), 4 * 50 * 11);
}

}  // namespace
}  // namespace heist_test
