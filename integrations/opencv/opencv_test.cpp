// OpenCV does the same on a heist pool as with its own threads, and the backend keeps its contract.
#include "heist/integrations/opencv.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "heist/scope.hpp"

namespace heist_test {
namespace {

cv::Mat noise(int rows, int columns) {
  cv::Mat m(rows, columns, CV_8UC3);
  cv::RNG random(1);
  random.fill(m, cv::RNG::UNIFORM, 0, 256);
  return m;
}

bool are_equal(const cv::Mat& a, const cv::Mat& b) {
  return a.size() == b.size() && a.type() == b.type() && cv::norm(a, b, cv::NORM_INF) == 0;
}

// Some of OpenCV's functions that loop in parallel.
std::vector<cv::Mat> filtered(const cv::Mat& in) {
  std::vector<cv::Mat> out(5);
  cv::cvtColor(in, out[0], cv::COLOR_BGR2HSV);
  cv::bilateralFilter(in, out[1], 9, 40, 7);
  cv::resize(in, out[2], {}, 1.7, 0.6, cv::INTER_CUBIC);
  cv::GaussianBlur(in, out[3], {7, 7}, 2);
  const cv::Mat turned = (cv::Mat_<double>(2, 3) << 0.9, 0.2, 3, -0.2, 0.9, 8);
  cv::warpAffine(in, out[4], turned, in.size());
  return out;
}

class OpenCv : public testing::TestWithParam<unsigned> {
 protected:
  ~OpenCv() override {  // OpenCV's own threads again
    cv::parallel::setParallelForBackend(std::shared_ptr<cv::parallel::ParallelForAPI>());
  }
  [[nodiscard]] int workers() const { return static_cast<int>(GetParam()); }
  heist::pool pool_{{.workers = GetParam()}};
};
INSTANTIATE_TEST_SUITE_P(Workers, OpenCv, testing::Values(2, 3, 8));

TEST_P(OpenCv, TheSamePixelsAsOnItsOwnThreads) {
  const cv::Mat in = noise(480, 640);
  const std::vector<cv::Mat> expected = filtered(in);
  heist::integrations::use_in_opencv(pool_);
  const std::uint64_t before = pool_.stats().total.roots;
  const std::vector<cv::Mat> here = filtered(in);
  EXPECT_GE(pool_.stats().total.roots, before + expected.size());  // each function looped here
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_TRUE(are_equal(here[i], expected[i])) << i;
  EXPECT_EQ(cv::getNumThreads(), workers());
}

TEST_P(OpenCv, FromWorkersAndThreadsAtOnce) {
  heist::integrations::use_in_opencv(pool_);
  const cv::Mat in = noise(240, 320);
  const std::vector<cv::Mat> expected = filtered(in);
  std::atomic<int> same{0};
  const auto filter = [&] {
    const std::vector<cv::Mat> out = filtered(in);
    for (std::size_t i = 0; i < out.size(); ++i) same += are_equal(out[i], expected[i]);
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) threads.emplace_back(filter);
  pool_.run([&] {
    heist::scope([&](heist::task_scope& s) {
      for (int i = 0; i < 6; ++i) s.spawn(filter);
    });
  });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(same.load(), 8 * static_cast<int>(expected.size()));
}

// Runs a loop in which each call keeps its number for a while, and says how many ran at most at
// once; -1 if two had the same number, or one was out of range.
int most_at_once(int limit) {
  std::vector<std::atomic<bool>> busy(static_cast<std::size_t>(limit));
  std::atomic<int> now{0}, most{0}, done{0};
  std::atomic<bool> is_wrong{false};
  cv::parallel_for_(cv::Range(0, 300), [&](const cv::Range& part) {
    const int running = now.fetch_add(1) + 1;
    for (int seen = most; seen < running && !most.compare_exchange_weak(seen, running);) {
    }
    const auto number = static_cast<std::size_t>(cv::getThreadNum());
    if (number >= busy.size() || busy[number].exchange(true)) {
      is_wrong = true;
    } else {
      std::this_thread::yield();
      busy[number] = false;
    }
    done += part.size();
    now.fetch_sub(1);
  });
  return is_wrong || done != 300 ? -1 : most.load();
}

TEST_P(OpenCv, NoThreadsNumberTwiceAtATime) {
  heist::integrations::use_in_opencv(pool_);
  const int most = most_at_once(workers());
  EXPECT_GE(most, 1);
  EXPECT_LE(most, workers());
}

TEST_P(OpenCv, SetNumThreadsIsALimit) {
  heist::integrations::use_in_opencv(pool_);
  for (int limit = 2; limit <= workers(); ++limit) {
    cv::setNumThreads(limit);
    EXPECT_EQ(cv::getNumThreads(), limit);
    for (int round = 0; round < 5; ++round) {
      const int most = most_at_once(limit);
      EXPECT_GE(most, 1);
      EXPECT_LE(most, limit);
    }
  }
  cv::setNumThreads(workers() + 5);
  EXPECT_EQ(cv::getNumThreads(), workers());
}

TEST_P(OpenCv, AnExceptionOfABodyArrives) {
  heist::integrations::use_in_opencv(pool_);
  for (const int threads : {workers(), 2}) {
    cv::setNumThreads(threads);
    EXPECT_THROW(cv::parallel_for_(cv::Range(0, 100),
                                   [](const cv::Range& part) {
                                     if (part.start <= 50 && 50 < part.end)
                                       throw std::domain_error("no");
                                   }),
                 std::domain_error);
    EXPECT_THROW(cv::cvtColor(cv::Mat(4, 4, CV_8UC1), cv::noArray(), cv::COLOR_BGR2HSV),
                 cv::Exception);
    EXPECT_GE(most_at_once(workers()), 1);  // and the next loop works
  }
}

TEST_P(OpenCv, NestedLoopsAreCalls) {
  heist::integrations::use_in_opencv(pool_);
  std::atomic<int> calls{0};
  cv::parallel_for_(cv::Range(0, 20), [&](const cv::Range& outer) {
    for (int i = outer.start; i < outer.end; ++i)
      cv::parallel_for_(cv::Range(0, 30), [&](const cv::Range& inner) { calls += inner.size(); });
  });
  EXPECT_EQ(calls.load(), 600);
}

TEST_P(OpenCv, TheBackendAlone) {
  heist::integrations::opencv_backend backend(pool_);
  EXPECT_EQ(std::string(backend.getName()), "heist");
  EXPECT_EQ(backend.getThreadNum(), 0);
  std::vector<std::atomic<int>> calls(100);
  const auto body = [](int first, int last, void* data) {
    auto& all = *static_cast<std::vector<std::atomic<int>>*>(data);
    for (int i = first; i < last; ++i) all[static_cast<std::size_t>(i)].fetch_add(1);
  };
  backend.parallel_for(0, body, nullptr);
  backend.parallel_for(100, body, &calls);
  EXPECT_EQ(backend.setNumThreads(-1), workers());
  EXPECT_EQ(backend.setNumThreads(1), workers());
  EXPECT_EQ(backend.getNumThreads(), 1);
  backend.parallel_for(100, body, &calls);
  for (const auto& c : calls) ASSERT_EQ(c.load(), 2);
}

}  // namespace
}  // namespace heist_test
