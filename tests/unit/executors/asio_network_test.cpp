// asio's timers and sockets with completion handlers that run on a pool: alone, and beside an
// io_context.
#include <asio/bind_executor.hpp>
#include <asio/buffer.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <asio/strand.hpp>
#include <asio/write.hpp>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "heist/asio.hpp"
#include "heist/fork_join.hpp"
#include "tests/unit/sync/support.hpp"

namespace heist_test {
namespace {

using asio::ip::tcp;

class AsioNetwork : public on_pools {
 protected:
  heist::asio_context context_{pool_};
};
INSTANTIATE_TEST_SUITE_P(Pools, AsioNetwork, testing::ValuesIn(few_pools()), name_of);

TEST_P(AsioNetwork, TimersCallBackOnWorkers) {
  std::atomic<int> on_workers{0};
  std::vector<std::unique_ptr<asio::steady_timer>> timers;
  for (int i = 0; i < 50; ++i) {
    timers.push_back(std::make_unique<asio::steady_timer>(context_.get_executor(),
                                                          std::chrono::milliseconds(i % 5)));
    timers.back()->async_wait([&](std::error_code failed) {
      if (!failed && pool_.worker_index() >= 0) on_workers.fetch_add(1);
    });
  }
  context_.join();
  EXPECT_EQ(on_workers.load(), 50);
}

TEST_P(AsioNetwork, APendingTimerIsDroppedWithTheContext) {
  std::atomic<bool> was_called{false};
  const long alive = counted::alive.load();
  {
    heist::asio_context context(pool_);
    // The object keeps itself alive, as connections do.
    auto timer =
        std::make_shared<asio::steady_timer>(context.get_executor(), std::chrono::hours(1));
    timer->async_wait([&, timer, held = counted()](std::error_code) { was_called = true; });
  }
  EXPECT_FALSE(was_called.load());
  EXPECT_EQ(counted::alive.load(), alive);
}

TEST_P(AsioNetwork, HandlersOfAnIoContextOnThePool) {
  asio::io_context io(1);
  std::atomic<int> on_workers{0};
  std::vector<std::unique_ptr<asio::steady_timer>> timers;
  for (int i = 0; i < 20; ++i) {
    timers.push_back(std::make_unique<asio::steady_timer>(io, std::chrono::milliseconds(1)));
    timers.back()->async_wait(asio::bind_executor(context_.get_executor(), [&](std::error_code) {
      const auto [a, b] = heist::fork_join([] { return 1; }, [] { return 2; });
      if (pool_.worker_index() >= 0) on_workers.fetch_add(a + b);
    }));
  }
  io.run();
  context_.join();
  EXPECT_EQ(on_workers.load(), 60);
}

// Echoes lines until the peer closes.
struct session : std::enable_shared_from_this<session> {
  explicit session(tcp::socket s) : socket(std::move(s)) {}
  void read() {
    socket.async_read_some(asio::buffer(bytes),
                           [self = shared_from_this()](std::error_code failed, std::size_t n) {
                             if (!failed) self->write(n);
                           });
  }
  void write(std::size_t n) {
    asio::async_write(socket, asio::buffer(bytes, n),
                      [self = shared_from_this()](std::error_code failed, std::size_t) {
                        if (!failed) self->read();
                      });
  }
  tcp::socket socket;
  std::array<char, 256> bytes{};
};

// The acceptor belongs to its strand: its handlers, and the function that closes it, run one at a
// time.
struct server {
  explicit server(heist::asio_context& c)
      : context(c),
        acceptor(asio::make_strand(c.get_executor()), {asio::ip::address_v4::loopback(), 0}) {
    accept();
  }
  void accept() {
    acceptor.async_accept(context.get_executor(), [this](std::error_code failed, auto socket) {
      if (failed) return;
      std::make_shared<session>(tcp::socket(std::move(socket)))->read();
      accept();
    });
  }
  heist::asio_context& context;
  tcp::acceptor acceptor;
};

// Sends a message, reads it back, `rounds` times.
struct client : std::enable_shared_from_this<client> {
  client(heist::asio_context& context, int number, int rounds, std::atomic<int>& good)
      : socket(context.get_executor()),
        message("client " + std::to_string(number)),
        left(rounds),
        echoes(good) {}
  void connect(tcp::endpoint to) {
    socket.async_connect(to, [self = shared_from_this()](std::error_code failed) {
      if (!failed) self->send();
    });
  }
  void send() {
    if (left-- == 0) return socket.close();
    got.clear();
    asio::async_write(socket, asio::buffer(message),
                      [self = shared_from_this()](std::error_code failed, std::size_t) {
                        if (!failed) self->receive();
                      });
  }
  void receive() {
    socket.async_read_some(asio::buffer(bytes),
                           [self = shared_from_this()](std::error_code failed, std::size_t n) {
                             if (failed) return;
                             self->got.append(self->bytes.data(), n);
                             if (self->got.size() < self->message.size()) return self->receive();
                             if (self->got == self->message) self->echoes.fetch_add(1);
                             self->send();
                           });
  }
  tcp::socket socket;
  std::string message, got;
  std::array<char, 256> bytes{};
  int left;
  std::atomic<int>& echoes;
};

TEST_P(AsioNetwork, AnEchoServerAndItsClients) {
  const int clients = 8;
  const int rounds = scaled(50);
  std::atomic<int> echoes{0};
  server echo(context_);
  for (int i = 0; i < clients; ++i)
    std::make_shared<client>(context_, i, rounds, echoes)->connect(echo.acceptor.local_endpoint());
  ASSERT_TRUE(eventually([&] { return echoes.load() == clients * rounds; }));
  asio::post(echo.acceptor.get_executor(), [&] { echo.acceptor.close(); });
  context_.join();
  EXPECT_EQ(echoes.load(), clients * rounds);
}

}  // namespace
}  // namespace heist_test
