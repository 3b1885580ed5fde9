// Eigen's expressions have the same values on a heist pool as on one thread, from threads outside
// and from workers.
#include "heist/integrations/eigen.hpp"

#define EIGEN_USE_THREADS
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>
#include <unsupported/Eigen/CXX11/Tensor>
#include <vector>

#include "heist/blocking.hpp"
#include "heist/scope.hpp"

namespace heist_test {
namespace {

using tensor = Eigen::Tensor<float, 2>;

// Small whole numbers, so that every order of additions has the same sum.
tensor numbers(int rows, int columns, int seed) {
  tensor t(rows, columns);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) t(i, j) = static_cast<float>((i * 7 + j * 13 + seed) % 9);
  return t;
}

const std::array<Eigen::IndexPair<int>, 1> inner{Eigen::IndexPair<int>(1, 0)};

template <class Device>
tensor product(const tensor& a, const tensor& b, const Device& device) {
  tensor c(a.dimension(0), b.dimension(1));
  c.device(device) = a.contract(b, inner);
  return c;
}

bool are_equal(const tensor& a, const tensor& b) {
  return a.size() == b.size() && std::equal(a.data(), a.data() + a.size(), b.data());
}

class EigenPool : public testing::TestWithParam<unsigned> {
 protected:
  heist::pool pool_{{.workers = GetParam()}};
  heist::integrations::eigen_pool threads_{pool_};
  Eigen::ThreadPoolDevice device_{&threads_, threads_.NumThreads()};
};
INSTANTIATE_TEST_SUITE_P(Workers, EigenPool, testing::Values(1, 2, 3, 8));

TEST_P(EigenPool, AContractionHasTheSameValuesAsOnOneThread) {
  const tensor a = numbers(300, 200, 1), b = numbers(200, 250, 2);
  const tensor expected = product(a, b, Eigen::DefaultDevice());
  const std::uint64_t before = pool_.stats().total.roots;
  EXPECT_TRUE(are_equal(product(a, b, device_), expected));
  const std::uint64_t least = GetParam() > 1 ? 1 : 0;  // Eigen calls one thread's work itself
  EXPECT_GE(pool_.stats().total.roots, before + least);
  tensor other = a;
  other(17, 5) += 1;
  EXPECT_FALSE(are_equal(product(other, b, device_), expected));
}

TEST_P(EigenPool, AnElementwiseExpression) {
  const tensor a = numbers(500, 400, 3);
  tensor here(500, 400);
  here.device(device_) = a * a + a.sqrt();
  const tensor expected = a * a + a.sqrt();
  EXPECT_TRUE(are_equal(here, expected));
}

TEST_P(EigenPool, FromManyThreads) {
  const tensor a = numbers(120, 100, 1), b = numbers(100, 130, 2);
  const tensor expected = product(a, b, Eigen::DefaultDevice());
  std::atomic<int> same{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 5; ++k) same += are_equal(product(a, b, device_), expected);
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(same.load(), 20);
}

// More expressions than workers wait at once.
TEST_P(EigenPool, OnWorkersInsideBlocking) {
  const tensor a = numbers(120, 100, 1), b = numbers(100, 130, 2);
  const tensor expected = product(a, b, Eigen::DefaultDevice());
  std::atomic<int> same{0};
  pool_.run([&] {
    heist::scope([&](heist::task_scope& s) {
      for (int i = 0; i < 20; ++i)
        s.spawn([&] {
          same += heist::blocking([&] { return are_equal(product(a, b, device_), expected); });
        });
    });
  });
  EXPECT_EQ(same.load(), 20);
}

TEST_P(EigenPool, SchedulesOnceOnAWorker) {
  std::vector<std::atomic<int>> calls(500);
  std::atomic<int> elsewhere{0};
  {
    heist::integrations::eigen_pool threads(pool_);
    EXPECT_EQ(threads.NumThreads(), static_cast<int>(GetParam()));
    EXPECT_EQ(threads.CurrentThreadId(), -1);
    for (std::size_t i = 0; i < calls.size(); ++i)
      threads.ScheduleWithHint(
          [&, i] {
            const int id = threads.CurrentThreadId();
            if (id < 0 || id >= threads.NumThreads()) elsewhere.fetch_add(1);
            calls[i].fetch_add(1);
          },
          0, 1);
  }  // waits
  for (const auto& c : calls) ASSERT_EQ(c.load(), 1);
  EXPECT_EQ(elsewhere.load(), 0);
}

TEST_P(EigenPool, CancelDropsWhatHasNotBegun) {
  std::atomic<int> calls{0};
  const auto held = std::make_shared<int>();
  {
    heist::integrations::eigen_pool threads(pool_);
    threads.Schedule([&calls, held] { calls.fetch_add(1); });
    while (calls.load() == 0) std::this_thread::yield();
    threads.Cancel();
    for (int i = 0; i < 100; ++i) threads.Schedule([&calls, held] { calls.fetch_add(1); });
  }
  EXPECT_EQ(calls.load(), 1);
}

}  // namespace
}  // namespace heist_test
