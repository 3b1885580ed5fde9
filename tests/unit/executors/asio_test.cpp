// asio_context has the properties that asio requires of an executor, and every function posted
// through it is called once, or dropped once.
#include "heist/asio.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/bind_executor.hpp>
#include <asio/defer.hpp>
#include <asio/dispatch.hpp>
#include <asio/post.hpp>
#include <asio/strand.hpp>
#include <asio/use_future.hpp>

#include <algorithm>
#include <atomic>
#include <future>
#include <vector>

#include "heist/executor.hpp"
#include "heist/sync/latch.hpp"
#include "tests/unit/sync/support.hpp"

namespace heist_test {
namespace {

using executor = heist::asio_context::executor_type;

static_assert(asio::execution::is_executor<heist::executor>::value);
static_assert(asio::execution::is_executor<executor>::value);
static_assert(asio::can_require<executor, asio::execution::blocking_t::never_t>::value);
static_assert(asio::can_require<executor, asio::execution::blocking_t::possibly_t>::value);
static_assert(asio::can_require<executor, asio::execution::outstanding_work_t::tracked_t>::value);
static_assert(asio::can_query<executor, asio::execution::context_t>::value);
static_assert(std::is_convertible_v<executor, asio::any_io_executor>);

class AsioExecutors : public on_pools {
 protected:
  heist::asio_context context_{pool_};
};
INSTANTIATE_TEST_SUITE_P(Pools, AsioExecutors, testing::ValuesIn(few_pools()), name_of);

TEST_P(AsioExecutors, PostDispatchAndDeferCallOnce) {
  const int n = scaled(2000);
  std::vector<std::atomic<int>> calls(static_cast<std::size_t>(3 * n));
  std::atomic<int> elsewhere{0};
  const auto on = context_.get_executor();
  for (int i = 0; i < n; ++i) {
    const auto call = [&, i](int which) {
      return [&, which, i] {
        calls[static_cast<std::size_t>(which * n + i)].fetch_add(1);
        if (pool_.worker_index() < 0) elsewhere.fetch_add(1);
      };
    };
    asio::post(on, call(0));
    asio::dispatch(on, call(1));
    asio::post(on, [&, on, f = call(2)] { asio::defer(on, f); });
  }
  context_.join();
  for (const auto& c : calls) ASSERT_EQ(c.load(), 1);
  EXPECT_EQ(elsewhere.load(), 0);
}

TEST_P(AsioExecutors, DispatchOnAWorkerIsACallAndPostIsNot) {
  const auto on = context_.get_executor();
  pool_.run([&] {
    const int before = 1;
    int seen = 0;
    asio::dispatch(on, [&] { seen = before; });
    EXPECT_EQ(seen, 1);
  });
  // One worker is busy with the poster until it ends.
  heist::pool one({.workers = 1});
  heist::asio_context alone(one);
  std::atomic<bool> posted{false};
  one.run([&] {
    asio::post(alone.get_executor(), [&] { posted = true; });
    EXPECT_FALSE(posted.load());
  });
  alone.join();
  EXPECT_TRUE(posted.load());
}

TEST_P(AsioExecutors, AStrandCallsOneAtATimeInOrder) {
  const int n = scaled(3000);
  asio::strand<executor> strand(context_.get_executor());
  std::vector<int> order;  // guarded by the strand alone
  for (int i = 0; i < n; ++i) asio::post(strand, [&, i] { order.push_back(i); });
  context_.join();
  ASSERT_EQ(order.size(), static_cast<std::size_t>(n));
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST_P(AsioExecutors, AStrandThatManyPostTo) {
  const int n = scaled(500);
  asio::strand<executor> strand(context_.get_executor());
  long sum = 0;  // guarded by the strand
  pool_.run([&] {
    auto poster = [&](int i) {
      for (int k = 0; k < n; ++k) asio::post(strand, [&, i] { sum += i; });
    };
    fork_all(0, 16, poster);
  });
  context_.join();
  EXPECT_EQ(sum, long{n} * 120);
}

TEST_P(AsioExecutors, PropertiesAreKept) {
  namespace execution = asio::execution;
  const executor on = context_.get_executor();
  const auto never = asio::require(on, execution::blocking.never);
  EXPECT_EQ(asio::query(on, execution::blocking), execution::blocking.possibly);
  EXPECT_EQ(asio::query(never, execution::blocking), execution::blocking.never);
  EXPECT_FALSE(on == never);
  EXPECT_TRUE(on == asio::require(never, execution::blocking.possibly));
  EXPECT_EQ(&asio::query(on, execution::context), &context_);
  EXPECT_EQ(asio::query(on, execution::occupancy), pool_.workers());
  EXPECT_EQ(asio::query(on, execution::outstanding_work), execution::outstanding_work.untracked);
  EXPECT_TRUE(on == asio::prefer(on, execution::relationship.continuation));
  {
    const auto tracked = asio::require(on, execution::outstanding_work.tracked);
    EXPECT_EQ(asio::query(tracked, execution::outstanding_work),
              execution::outstanding_work.tracked);
  }
  const asio::any_io_executor any = on;
  EXPECT_EQ(any.target<executor>() != nullptr, true);
}

TEST_P(AsioExecutors, JoinWaitsForTrackedWork) {
  std::atomic<bool> is_over{false};
  auto keep = std::make_unique<executor>(
      asio::require(context_.get_executor(), asio::execution::outstanding_work.tracked));
  executor copy = *keep;
  copy = context_.get_executor();  // gives its part back
  std::thread other([&, kept = std::move(keep)]() mutable {
    linger(std::chrono::milliseconds(2));
    is_over = true;
    kept.reset();
  });
  context_.join();
  EXPECT_TRUE(is_over.load());
  other.join();
}

TEST_P(AsioExecutors, AFutureOfAsios) {
  std::future<int> result =
      asio::post(context_.get_executor(),
                 asio::use_future([] { return heist::this_worker::index() >= 0 ? 7 : 0; }));
  EXPECT_EQ(result.get(), 7);
}

TEST_P(AsioExecutors, WhatHasNotBegunIsDroppedByTheDestructor) {
  for (int round = 0; round < scaled(200); ++round) {
    const long alive = counted::alive.load();
    std::atomic<int> called{0};
    std::atomic<bool> is_gone{false};
    {
      heist::asio_context context(pool_);
      for (int i = 0; i < 50; ++i) {
        asio::post(context.get_executor(), [&, held = counted()] {
          EXPECT_FALSE(is_gone.load());
          called.fetch_add(1);
        });
      }
    }
    is_gone = true;
    ASSERT_EQ(counted::alive.load(), alive);
    ASSERT_LE(called.load(), 50);
  }
}

TEST_P(AsioExecutors, TwoContextsOnOnePool) {
  heist::asio_context second(pool_);
  std::atomic<int> calls{0};
  for (int i = 0; i < 100; ++i) {
    asio::post(context_.get_executor(), [&] { calls.fetch_add(1); });
    asio::post(second.get_executor(), [&] { calls.fetch_add(1); });
  }
  EXPECT_FALSE(context_.get_executor() == second.get_executor());
  context_.join();
  second.join();
  EXPECT_EQ(calls.load(), 200);
}

}  // namespace
}  // namespace heist_test
