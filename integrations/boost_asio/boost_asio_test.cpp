// Boost.Asio accepts a pool as an executor: every handler is called once, on a worker, and timers
// and sockets work, of the context and of an io_context.
#include "heist/integrations/boost_asio.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/defer.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "heist/reduce.hpp"

namespace heist_test {
namespace {

namespace asio = boost::asio;
using context = heist::integrations::boost_asio_context;
using executor = context::executor_type;
using boost::system::error_code;

static_assert(asio::execution::is_executor<executor>::value);
static_assert(asio::can_require<executor, asio::execution::blocking_t::never_t>::value);
static_assert(asio::can_require<executor, asio::execution::outstanding_work_t::tracked_t>::value);
static_assert(asio::can_query<executor, asio::execution::context_t>::value);
static_assert(std::is_convertible_v<executor, asio::any_io_executor>);

class BoostAsio : public testing::TestWithParam<unsigned> {
 protected:
  heist::pool pool_{{.workers = GetParam()}};
  context context_{pool_};
};
INSTANTIATE_TEST_SUITE_P(Workers, BoostAsio, testing::Values(1, 2, 3, 8));

TEST_P(BoostAsio, PostDispatchAndDeferCallOnceOnAWorker) {
  constexpr std::size_t n = 500;
  std::vector<std::atomic<int>> calls(3 * n);
  std::atomic<int> elsewhere{0};
  const executor on = context_.get_executor();
  for (std::size_t i = 0; i < n; ++i) {
    const auto call = [&, i](std::size_t which) {
      return [&, i, which] {
        calls[which * n + i].fetch_add(1, std::memory_order_relaxed);
        if (pool_.worker_index() < 0) elsewhere.fetch_add(1, std::memory_order_relaxed);
      };
    };
    asio::post(on, call(0));
    asio::dispatch(on, call(1));
    asio::post(on, [on, f = call(2)] { asio::defer(on, f); });
  }
  context_.join();
  for (const auto& c : calls) ASSERT_EQ(c.load(std::memory_order_relaxed), 1);
  EXPECT_EQ(elsewhere.load(std::memory_order_relaxed), 0);
}

TEST_P(BoostAsio, DispatchOnAWorkerIsACall) {
  pool_.run([&] {
    bool was_called = false;
    asio::dispatch(context_.get_executor(), [&] { was_called = true; });
    EXPECT_TRUE(was_called);
  });
}

TEST_P(BoostAsio, AStrandCallsOneAtATimeInOrder) {
  constexpr int n = 1000;
  asio::strand<executor> strand(context_.get_executor());
  std::vector<int> order;  // guarded by the strand alone
  for (int i = 0; i < n; ++i) asio::post(strand, [&, i] { order.push_back(i); });
  context_.join();
  ASSERT_EQ(order.size(), static_cast<std::size_t>(n));
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST_P(BoostAsio, PropertiesAreKept) {
  namespace execution = asio::execution;
  const executor on = context_.get_executor();
  const executor never = asio::require(on, execution::blocking.never);
  EXPECT_EQ(asio::query(on, execution::blocking), execution::blocking.possibly);
  EXPECT_EQ(asio::query(never, execution::blocking), execution::blocking.never);
  EXPECT_FALSE(on == never);
  EXPECT_EQ(&asio::query(on, execution::context), &context_);
  EXPECT_EQ(asio::query(on, execution::occupancy), pool_.workers());
}

TEST_P(BoostAsio, TimersOfTheContext) {
  std::atomic<int> on_workers{0}, cancelled{0};
  asio::steady_timer soon(context_.get_executor(), std::chrono::milliseconds(2));
  asio::steady_timer never(context_.get_executor(), std::chrono::hours(1));
  never.async_wait([&](error_code e) {
    cancelled += e == asio::error::operation_aborted && pool_.worker_index() >= 0;
  });
  soon.async_wait([&](error_code e) {
    on_workers += !e && pool_.worker_index() >= 0;
    never.cancel();
  });
  context_.join();
  EXPECT_EQ(on_workers.load(std::memory_order_relaxed), 1);
  EXPECT_EQ(cancelled.load(), 1);
}

TEST_P(BoostAsio, TimersOfAnIoContextWithHandlersOnThePool) {
  asio::io_context io;
  std::atomic<int> on_workers{0};
  std::vector<asio::steady_timer> timers;
  for (int i = 0; i < 20; ++i) timers.emplace_back(io, std::chrono::milliseconds(i % 3));
  for (auto& timer : timers)
    timer.async_wait(asio::bind_executor(
        context_.get_executor(), [&](error_code) { on_workers += pool_.worker_index() >= 0; }));
  io.run();
  context_.join();
  EXPECT_EQ(on_workers.load(), 20);
}

// A server's session: reads a line, and answers with the sum of its bytes, added up by the pool.
struct session : std::enable_shared_from_this<session> {
  explicit session(asio::ip::tcp::socket s) : socket(std::move(s)) {}
  void read() {
    socket.async_read_some(
        asio::buffer(line), [self = shared_from_this()](error_code e, std::size_t n) {
          if (e) return;
          const std::vector<long> codes(self->line.begin(), self->line.begin() + long(n));
          const long sum = heist::reduce(codes);
          self->answer = std::to_string(sum);
          asio::async_write(self->socket, asio::buffer(self->answer),
                            [self](error_code, std::size_t) {});
        });
  }
  asio::ip::tcp::socket socket;
  std::array<char, 64> line{};
  std::string answer;
};

TEST_P(BoostAsio, SocketsOfTheContextWithForksInTheirHandlers) {
  using asio::ip::tcp;
  constexpr int clients = 8;
  tcp::acceptor acceptor(context_.get_executor(),
                         tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  std::atomic<int> accepted{0};
  std::function<void()> accept = [&] {
    acceptor.async_accept([&](error_code e, tcp::socket socket) {
      if (e) return;
      std::make_shared<session>(std::move(socket))->read();
      if (accepted.fetch_add(1) + 1 < clients) accept();
    });
  };
  accept();
  int right = 0;
  asio::io_context io;
  for (int i = 0; i < clients; ++i) {
    tcp::socket socket(io);
    socket.connect(acceptor.local_endpoint());
    asio::write(socket, asio::buffer(std::string("abc")));
    std::array<char, 64> reply{};
    const std::size_t n = socket.read_some(asio::buffer(reply));
    right += std::string(reply.data(), n) == "294";
  }
  context_.join();
  EXPECT_EQ(right, clients);
}

TEST_P(BoostAsio, AFutureAndAWorkGuard) {
  auto guard = asio::make_work_guard(context_.get_executor());
  std::atomic<bool> is_over{false};
  std::thread other([&] {
    std::future<int> result =
        asio::post(context_.get_executor(), asio::use_future([] { return 7; }));
    EXPECT_EQ(result.get(), 7);
    is_over = true;
    guard.reset();
  });
  context_.join();
  EXPECT_TRUE(is_over.load());
  other.join();
}

TEST_P(BoostAsio, WhatHasNotBegunIsDroppedByTheDestructor) {
  const auto held = std::make_shared<int>();
  {
    context dropped(pool_);
    for (int i = 0; i < 50; ++i) asio::post(dropped.get_executor(), [held] {});
    asio::steady_timer never(dropped.get_executor(), std::chrono::hours(1));
    never.async_wait([held](error_code) {});
  }
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace heist_test
