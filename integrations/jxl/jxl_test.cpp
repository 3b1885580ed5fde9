// libjxl does the same on a heist pool as on threads of its own, and the runner keeps its contract.
#include "heist/integrations/jxl.hpp"

#include <gtest/gtest.h>
#include <jxl/thread_parallel_runner_cxx.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "heist/policy.hpp"
#include "heist/scope.hpp"
#include "integrations/jxl/jpeg_xl.hpp"

namespace heist_test {
namespace {

using heist::integrations::jxl_runner;

class JxlRunner : public testing::TestWithParam<unsigned> {
 protected:
  heist::pool pool_{{.workers = GetParam()}};
};
INSTANTIATE_TEST_SUITE_P(Workers, JxlRunner, testing::Values(1, 2, 3, 8));

// What libjxl gives to a runner: it counts the calls, and notes a number of a thread that is out of
// range, or used by two calls at once.
struct recorder {
  std::vector<std::atomic<int>> calls = std::vector<std::atomic<int>>(1000);
  std::vector<std::atomic<bool>> busy{};
  std::atomic<bool> is_wrong{false};
  JxlParallelRetCode answer = 0;
  bool throws = false;

  static JxlParallelRetCode init(void* self, std::size_t threads) {
    auto& r = *static_cast<recorder*>(self);
    r.busy = std::vector<std::atomic<bool>>(threads);
    return r.answer;
  }
  static void work(void* self, std::uint32_t i, std::size_t thread) {
    auto& r = *static_cast<recorder*>(self);
    if (thread >= r.busy.size() || r.busy[thread].exchange(true)) {
      r.is_wrong = true;
    } else {
      std::this_thread::yield();
      r.busy[thread] = false;
    }
    r.calls[i].fetch_add(1);
    if (r.throws) throw std::domain_error("no");
  }
};

TEST_P(JxlRunner, SameBytesAsOnLibjxlsThreads) {
  const jpeg_xl::picture picture = jpeg_xl::waves(700, 500);
  const JxlThreadParallelRunnerPtr own = JxlThreadParallelRunnerMake(nullptr, GetParam());
  const auto expected = jpeg_xl::encoded(picture, JxlThreadParallelRunner, own.get());
  ASSERT_GT(expected.size(), 1000U);
  const std::uint64_t before = pool_.stats().total.roots;
  EXPECT_EQ(jpeg_xl::encoded(picture, jxl_runner, &pool_), expected);
  EXPECT_GT(pool_.stats().total.roots, before + 3);  // libjxl gave its loops to the pool
  const auto pixels = jpeg_xl::decoded(expected, JxlThreadParallelRunner, own.get()).rgb;
  EXPECT_EQ(jpeg_xl::decoded(expected, jxl_runner, &pool_).rgb, pixels);
}

TEST_P(JxlRunner, ManyPicturesAtOnceFromWorkersAndThreads) {
  const jpeg_xl::picture picture = jpeg_xl::waves(300, 280);
  const auto expected = jpeg_xl::encoded(picture, nullptr, nullptr);
  std::atomic<int> same{0};
  const auto encode = [&] { same += jpeg_xl::encoded(picture, jxl_runner, &pool_) == expected; };
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) threads.emplace_back(encode);
  pool_.run([&] {
    heist::scope([&](heist::task_scope& s) {
      for (int i = 0; i < 4; ++i) s.spawn(encode);
    });
  });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(same.load(), 6);
}

TEST_P(JxlRunner, UnderStallingAWorkerKeepsItsThread) {
  const jpeg_xl::picture picture = jpeg_xl::waves(300, 280);
  std::atomic<int> kept{0};
  pool_.run([&] {
    heist::scope([&](heist::task_scope& s) {
      for (int i = 0; i < 8; ++i)
        s.spawn([&] {
          heist::with(heist::policy::stalling, [&] {
            const std::thread::id before = std::this_thread::get_id();
            static_cast<void>(jpeg_xl::encoded(picture, jxl_runner, &pool_));
            kept += std::this_thread::get_id() == before;
          });
        });
    });
  });
  EXPECT_EQ(kept.load(), 8);
}

TEST_P(JxlRunner, CallsEachNumberOnceAndNoThreadTwiceAtATime) {
  recorder r;
  EXPECT_EQ(jxl_runner(&pool_, &r, recorder::init, recorder::work, 10, 990), 0);
  EXPECT_EQ(r.busy.size(), GetParam());
  EXPECT_FALSE(r.is_wrong.load());
  for (std::size_t i = 0; i < r.calls.size(); ++i)
    ASSERT_EQ(r.calls[i].load(), i >= 10 && i < 990 ? 1 : 0) << i;
}

TEST_P(JxlRunner, WhatInitRefusesIsReturned) {
  recorder r;
  r.answer = 7;
  EXPECT_EQ(jxl_runner(&pool_, &r, recorder::init, recorder::work, 0, 1000), 7);
  EXPECT_EQ(r.calls[0].load(), 0);
}

TEST_P(JxlRunner, AnExceptionDoesNotCrossC) {
  recorder r;
  r.throws = true;
  EXPECT_EQ(jxl_runner(&pool_, &r, recorder::init, recorder::work, 0, 1000),
            JXL_PARALLEL_RET_RUNNER_ERROR);
}

TEST_P(JxlRunner, EmptyAndInvertedRanges) {
  recorder r;
  EXPECT_EQ(jxl_runner(&pool_, &r, recorder::init, recorder::work, 5, 5), 0);
  EXPECT_EQ(jxl_runner(&pool_, &r, recorder::init, recorder::work, 6, 5),
            JXL_PARALLEL_RET_RUNNER_ERROR);
  EXPECT_TRUE(r.busy.empty());  // init wasn't called
}

TEST(JxlRunnerWithoutAPool, UsesTheDefaultPool) {
  recorder r;
  EXPECT_EQ(jxl_runner(nullptr, &r, recorder::init, recorder::work, 0, 1000), 0);
  EXPECT_EQ(r.busy.size(), heist::default_pool().workers());
}

}  // namespace
}  // namespace heist_test
