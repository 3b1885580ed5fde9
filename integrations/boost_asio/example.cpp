// A server and its clients in one program: Boost.Asio waits for the sockets, a pool runs the
// handlers.
#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include <heist/integrations/boost_asio.hpp>

namespace asio = boost::asio;
using asio::ip::tcp;

int main() {
  constexpr int clients = 10;
  const std::string greeting = "hello";
  heist::pool pool;
  heist::integrations::boost_asio_context context(pool);
  tcp::acceptor acceptor(context.get_executor(),
                         tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  int accepted = 0;
  std::function<void()> accept = [&] {
    acceptor.async_accept([&](boost::system::error_code error, tcp::socket accepted_socket) {
      if (error) return;
      auto socket = std::make_shared<tcp::socket>(std::move(accepted_socket));
      auto text = std::make_shared<std::string>(greeting.size(), ' ');
      asio::async_read(*socket, asio::buffer(*text), [=](auto, auto) {
        asio::async_write(*socket, asio::buffer(*text), [socket, text](auto, auto) {});
      });
      if (++accepted < clients) accept();
    });
  };
  accept();

  std::atomic<int> answered{0};
  for (int i = 0; i < clients; ++i) {
    auto socket = std::make_shared<tcp::socket>(context.get_executor());
    auto answer = std::make_shared<std::string>(greeting.size(), ' ');
    // Each handler keeps the socket alive for the next.
    socket->async_connect(acceptor.local_endpoint(), [=, &greeting, &answered](auto) {
      asio::async_write(*socket, asio::buffer(greeting), [=, &greeting, &answered](auto, auto) {
        asio::async_read(*socket, asio::buffer(*answer),
                         [socket, answer, &greeting, &answered](auto, auto) {
                           if (*answer == greeting)
                             answered.fetch_add(1, std::memory_order_relaxed);
                         });
      });
    });
  }
  context.join();
  // Relaxed, as where it is counted: join() orders this after the handlers.
  if (answered.load(std::memory_order_relaxed) != clients) return 1;
  std::printf("%d greetings, each of them answered\n", clients);
}
