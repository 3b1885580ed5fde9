// Threads outside the pool that work in it while they wait for their calls (caller_kind).
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "heist/heist.hpp"
#include "tests/unit/runtime/child.hpp"
#include "tests/unit/runtime/fib.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

using heist::caller_kind;

// Whether the caller's own thread ran the function. A pool's threads sleep soon after they have
// started, or after their last work, so some try must find a seat.
bool runs_here(heist::pool& pool) {
  const auto here = std::this_thread::get_id();
  return eventually([&] { return pool.run([] { return std::this_thread::get_id(); }) == here; });
}

class Callers : public testing::Test {
 protected:
  void SetUp() override {
    if (is_serial()) GTEST_SKIP() << "a serial run has no workers";
  }
};

TEST_F(Callers, WorkInPlaceOfAWorkerThatSleeps) {
  for (const unsigned workers : {1U, 2U, 3U}) {
    heist::pool pool({.workers = workers});
    EXPECT_TRUE(runs_here(pool));
    const auto index = pool.run([&] { return pool.worker_index(); });
    EXPECT_GE(index, 0);
    EXPECT_LT(index, static_cast<int>(workers));
    EXPECT_EQ(pool.worker_index(), -1) << "a thread outside again";
    EXPECT_EQ(heist::this_worker::index(), -1);
  }
}

TEST_F(Callers, WaitIfThePoolSaysSo) {
  heist::pool pool({.workers = 2, .callers = caller_kind::wait});
  const auto here = std::this_thread::get_id();
  for (int i = 0; i < 20; ++i) EXPECT_NE(pool.run([] { return std::this_thread::get_id(); }), here);
}

// What these promise is promised of the pool's own threads.
TEST_F(Callers, WaitWhereAPoolsOwnThreadsMatter) {
  const auto kind_in = [](heist::pool_config c) {
    c.workers = 1;
    return heist::pool(std::move(c)).config().callers;
  };
  EXPECT_EQ(kind_in({}), caller_kind::work);
  EXPECT_EQ(kind_in({.callers = caller_kind::help}), caller_kind::help);
  EXPECT_EQ(kind_in({.deque = heist::deque_kind::chase_lev}), caller_kind::wait);
  EXPECT_EQ(kind_in({.join = heist::join_kind::stalling}), caller_kind::wait);
  EXPECT_EQ(kind_in({.yield = heist::yield_kind::to_all}), caller_kind::wait);
  EXPECT_EQ(kind_in({.placement = heist::placement_kind::pinned}), caller_kind::wait);
  EXPECT_EQ(kind_in({.on_thread_start = [](unsigned) {}}), caller_kind::wait);
  EXPECT_EQ(kind_in({.on_thread_stop = [](unsigned) {}}), caller_kind::wait);
}

TEST_F(Callers, WaitWhenEverySeatIsTaken) {
  heist::pool pool({.workers = 1});
  signal_flag inside;
  signal_flag over;
  auto other = pool.submit([&] {
    inside.raise();
    EXPECT_TRUE(over.wait());
  });
  EXPECT_TRUE(inside.wait());
  std::thread late([&] { over.raise(); });
  EXPECT_NE(pool.run([] { return std::this_thread::get_id(); }), std::this_thread::get_id());
  late.join();
  other.get();
}

// Each half waits for the other one to begin, so another thread must steal from the caller's.
TEST_F(Callers, AreStolenFrom) {
  heist::pool pool({.workers = 2});
  ASSERT_TRUE(runs_here(pool));
  for (int i = 0; i < scaled(200); ++i) {
    signal_flag first;
    signal_flag second;
    pool.run([&] {
      heist::fork_join(
          [&] {
            first.raise();
            EXPECT_TRUE(second.wait());
          },
          [&] {
            second.raise();
            EXPECT_TRUE(first.wait());
          });
    });
  }
  EXPECT_GE(pool.stats().total.steals, 1U);
}

// The call suspends, and the one that ends what it waits for goes on with it: the caller returns
// then.
TEST_F(Callers, ReturnWhenAnotherWorkerHasEndedTheirCall) {
  heist::pool pool({.workers = 2});
  for (int i = 0; i < scaled(100); ++i) {
    ASSERT_TRUE(runs_here(pool));
    signal_flag stolen;
    const int sum = pool.run([&] {
      auto [a, b] = heist::fork_join(
          [&] {
            EXPECT_TRUE(stolen.wait());
            return 1;
          },
          [&] {
            stolen.raise();
            linger(std::chrono::microseconds(200));
            return 2;
          });
      return a + b;
    });
    ASSERT_EQ(sum, 3);
  }
}

// A worker runs an unrelated function whose halves nobody lets end, and offers one of them. The
// caller's own call suspends; it must not take that half, or it would not return.
TEST_F(Callers, AreNotHeldByUnrelatedWork) {
  heist::pool pool({.workers = 3});
  for (int i = 0; i < scaled(20); ++i) {
    ASSERT_TRUE(runs_here(pool));
    signal_flag stolen;
    signal_flag unrelated_began;
    signal_flag over;
    heist::future<void> unrelated;
    pool.run([&] {
      heist::fork_join([&] { EXPECT_TRUE(stolen.wait()); },
                       [&] {
                         stolen.raise();
                         unrelated = pool.submit([&] {
                           heist::fork_join(
                               [&] {
                                 unrelated_began.raise();
                                 EXPECT_TRUE(over.wait());
                               },
                               [&] { EXPECT_TRUE(over.wait()); });
                         });
                         EXPECT_TRUE(unrelated_began.wait());
                       });
    });
    over.raise();  // reached only if the caller has returned
    unrelated.get();
  }
}

TEST_F(Callers, ComeInAnyNumber) {
  for (const unsigned workers : {1U, 2U, 3U, 8U}) {
    heist::pool pool({.workers = workers});
    std::atomic<long> total{0};
    {
      std::vector<std::jthread> crowd;
      for (int t = 0; t < 8; ++t)
        crowd.emplace_back([&, t] {
          for (int i = 0; i < scaled(200); ++i) total += pool.run([=] { return fib(8 + t % 4); });
        });
    }
    const long each = fib(8) + fib(9) + fib(10) + fib(11);
    EXPECT_EQ(total.load(), 2 * each * scaled(200)) << workers << " workers";
    EXPECT_EQ(pool.stats().total.roots, 8U * static_cast<unsigned>(scaled(200)));
  }
}

// A guest's deque lies in its thread, which is gone soon; thieves look at it all the time.
TEST_F(Callers, MayEndTheirThreadsAtOnce) {
  heist::pool pool({.workers = 3});
  for (int i = 0; i < scaled(400); ++i) {
    std::thread a([&] { EXPECT_EQ(pool.run([] { return fib(10); }), 55); });
    std::thread b([&] { EXPECT_EQ(pool.run([] { return fib(11); }), 89); });
    a.join();
    b.join();
  }
}

TEST_F(Callers, GoFromPoolToPool) {
  heist::pool one({.workers = 2});
  heist::pool two({.workers = 1});
  for (int i = 0; i < scaled(500); ++i) {
    ASSERT_EQ(one.run([] { return fib(9); }), 34);
    ASSERT_EQ(two.run([] { return fib(9); }), 34);
    ASSERT_EQ(one.run([&] { return two.run([] { return fib(9); }) + fib(8); }), 55);
  }
}

TEST_F(Callers, GetTheExceptionAndKeepTheirOwn) {
  heist::pool pool({.workers = 2});
  ASSERT_TRUE(runs_here(pool));
  try {
    throw std::logic_error("the caller's");
  } catch (const std::logic_error&) {
    EXPECT_THROW(pool.run([] { throw std::runtime_error("the function's"); }), std::runtime_error);
    EXPECT_EQ(fib(10), 55);
    EXPECT_EQ(std::uncaught_exceptions(), 0);
    try {
      throw;
    } catch (const std::exception& e) {
      EXPECT_EQ(std::string(e.what()), "the caller's");
    }
  }
}

TEST_F(Callers, StallOnOneThread) {
  heist::pool pool({.workers = 2});
  for (int i = 0; i < scaled(100); ++i) {
    pool.run([&] {
      heist::with(heist::policy::stalling, [&] {
        const auto here = std::this_thread::get_id();
        signal_flag stolen;
        heist::fork_join([&] { EXPECT_TRUE(stolen.wait()); },
                         [&] {
                           stolen.raise();
                           linger(std::chrono::microseconds(100));
                         });
        EXPECT_EQ(std::this_thread::get_id(), here);
      });
    });
  }
}

TEST_F(Callers, AreCountedAndHaveViewsAndWorkersValues) {
  heist::pool pool({.workers = 2});
  ASSERT_TRUE(runs_here(pool));
  const auto before = pool.stats().total.roots;
  heist::worker_local<long> sums(pool);
  std::vector<long> numbers(100'000);
  std::iota(numbers.begin(), numbers.end(), 1);
  for (int i = 0; i < 10; ++i)
    heist::parallel_for(pool, numbers, [&](long n) { sums.local() += n; });
  long sum = 0;
  for (const long s : sums) sum += s;
  EXPECT_EQ(sum, 10 * 100'000L * 100'001 / 2);
  EXPECT_EQ(pool.stats().total.roots, before + 10);
}

// A report looks at the guests' deques, which are gone with their threads.
TEST_F(Callers, AreReportedAndMayLeaveMeanwhile) {
  heist::pool pool({.workers = 2});
  ASSERT_TRUE(eventually([&] {
    const auto text = pool.run([] { return heist::describe_pools(); });
    return text.find("a caller's thread: running") != std::string::npos;
  }));
  std::atomic<bool> is_over{false};
  std::thread reporter([&] {
    while (!is_over) EXPECT_NE(heist::describe_pools().find("worker 1"), std::string::npos);
  });
  for (int i = 0; i < scaled(200); ++i)
    std::thread([&] { EXPECT_EQ(pool.run([] { return fib(9); }), 34); }).join();
  is_over = true;
  reporter.join();
}

// run_on() moves to the worker's own thread, which sleeps while the caller has its seat.
TEST_F(Callers, MakeRoomForWhatMustRunOnAThread) {
  heist::pool pool({.workers = 2});
  for (int i = 0; i < scaled(50); ++i)
    for (unsigned w = 0; w < 2; ++w)
      pool.run(
          [&] { pool.run_on(w, [&] { EXPECT_EQ(pool.worker_index(), static_cast<int>(w)); }); });
}

TEST_F(Callers, ReturnInTheChildOfFork) {
  if (tsan) GTEST_SKIP() << "ThreadSanitizer lets no child of several threads start one";
  if (emulated) GTEST_SKIP() << "qemu fails an assertion of its own in such a child";
  heist::pool pool({.workers = 2});
  ASSERT_TRUE(runs_here(pool));
  const auto here = std::this_thread::get_id();
  EXPECT_EQ(in_forked_child([&] { return fib(10) == 55 ? 0 : 1; }), 0);
  int status = -1;
  const pid_t parent = ::getpid();
  ASSERT_TRUE(eventually([&] {
    bool is_guest = false;
    status = pool.run([&] {
      is_guest = std::this_thread::get_id() == here;
      if (!is_guest) return 0;
      const pid_t child = ::fork();
      if (child == 0) return fib(12) == 144 ? 1000 : 1001;  // its forks are calls
      int ended = 0;
      ::waitpid(child, &ended, 0);
      return WIFEXITED(ended) ? WEXITSTATUS(ended) : 255;
    });
    if (::getpid() != parent) ::_exit(status == 1000 && fib(10) == 55 ? 7 : 8);
    return is_guest;
  }));
  EXPECT_EQ(status, 7);
}

// ----
// Pools inside pools: a worker that runs a function in another pool suspends its fiber, and leaves
// its open forks to the other workers.

struct setting {
  unsigned workers;
  heist::join_kind join;
  heist::deque_kind deque;
};

std::string name_of(const testing::TestParamInfo<setting>& p) {
  return std::to_string(p.param.workers) +
         (p.param.join == heist::join_kind::greedy ? "Greedy" : "Stalling") + "_" +
         std::string(to_string(p.param.deque));
}

class NestedPools : public testing::TestWithParam<setting> {
 protected:
  static heist::pool_config config() {
    return {.workers = GetParam().workers, .deque = GetParam().deque, .join = GetParam().join};
  }
  heist::pool a_{config()};
  heist::pool b_{config()};
  const watchdog guard_{"nested pools"};
};

TEST_P(NestedPools, ForksThatAreOpenMeanwhileRunOnce) {
  for (int round = 0; round < scaled(300); ++round) {
    std::array<std::atomic<int>, 4> ran{};
    const auto count = [&ran](std::size_t i) {
      return [&ran, i] { ran[i].fetch_add(1, std::memory_order_relaxed); };
    };
    const int answer = a_.run([&] {
      const auto [deep, ignored] = heist::fork_join(
          [&] {
            const auto [deeper, ignored_too] = heist::fork_join(
                [&] {
                  return b_.run(
                      [&] { return std::get<0>(heist::fork_join([] { return 42; }, count(0))); });
                },
                count(1));
            count(2)();
            return deeper;
          },
          count(3));
      return deep;
    });
    EXPECT_EQ(answer, 42);
    for (const auto& n : ran) ASSERT_EQ(n.load(std::memory_order_relaxed), 1);
  }
}

// Pool a runs b, which runs a, and so on, with one worker each: neither worker may wait for the
// other.
int back_and_forth(heist::pool& here, heist::pool& there, int depth) {
  if (depth == 0) return 0;
  const auto [x, y] = heist::fork_join(
      [&] { return there.run([&] { return back_and_forth(there, here, depth - 1) + 1; }); },
      [&] { return there.run([&] { return back_and_forth(there, here, depth - 1) + 1; }); });
  return x + y;
}

TEST_P(NestedPools, MutualRecursionComesToItsEnd) {
  const int depth = tsan || asan || emulated ? 4 : 8;
  const int expected = (1 << (depth + 1)) - 2;
  for (int round = 0; round < scaled(10); ++round) {
    EXPECT_EQ(a_.run([&] { return back_and_forth(a_, b_, depth); }), expected);
  }
}

TEST_P(NestedPools, ExceptionsCrossBothPools) {
  for (int round = 0; round < scaled(100); ++round) {
    try {
      a_.run([&] {
        heist::fork_join([&] { b_.run([] { heist::fork_join([] {}, [] { throw 5; }); }); },
                         [] { throw 6; });
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (int thrown) {
      EXPECT_EQ(thrown, 5);
    }
  }
}

// The inner pool's worker that resumes the outer fiber may be slower than everything that follows,
// including the end of the outer pool.
TEST_P(NestedPools, TheOuterPoolMayEndFirst) {
  for (int round = 0; round < scaled(200); ++round) {
    heist::pool outer(config());
    EXPECT_EQ(outer.run([&] { return b_.run([] { return 3; }); }), 3);
  }
}

TEST_P(NestedPools, TheInnerPoolMayEndFirst) {
  for (int round = 0; round < scaled(200); ++round) {
    auto inner = std::make_unique<heist::pool>(config());
    EXPECT_EQ(a_.run([&] {
      const int answer = inner->run([] { return 4; });
      inner.reset();
      return answer;
    }),
              4);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Settings, NestedPools,
    testing::Values(setting{1, heist::join_kind::greedy, heist::deque_kind::split},
                    setting{1, heist::join_kind::stalling, heist::deque_kind::split},
                    setting{1, heist::join_kind::greedy, heist::deque_kind::locked},
                    setting{2, heist::join_kind::greedy, heist::deque_kind::split},
                    setting{3, heist::join_kind::stalling, heist::deque_kind::split},
                    setting{3, heist::join_kind::greedy, heist::deque_kind::locked},
                    setting{3, heist::join_kind::stalling, heist::deque_kind::locked},
                    setting{2, heist::join_kind::greedy, heist::deque_kind::bounded_ring},
                    setting{2, heist::join_kind::stalling, heist::deque_kind::abp},
                    setting{3, heist::join_kind::greedy, heist::deque_kind::chase_lev},
                    setting{3, heist::join_kind::stalling, heist::deque_kind::multi_steal},
                    setting{3, heist::join_kind::greedy, heist::deque_kind::steal_half}),
    name_of);

}  // namespace
}  // namespace heist_test
