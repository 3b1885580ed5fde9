#include "tests/faults/asio_operations.hpp"

#if __has_include(<asio/post.hpp>)
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <asio/strand.hpp>

#include <chrono>

#include "heist/asio.hpp"
#include "heist/sync/latch.hpp"
#endif

namespace heist_test {

#if __has_include(<asio/post.hpp>)

namespace {

void posted(const body& f) {
  heist::pool pool({.workers = 2});
  heist::asio_context context(pool);
  asio::post(context.get_executor(), [&] { f(); });
  context.join();
}

void posted_to_a_strand(const body& f) {
  heist::pool pool({.workers = 2});
  heist::asio_context context(pool);
  asio::strand<heist::asio_context::executor_type> strand(context.get_executor());
  asio::post(strand, [&] { f(); });
  context.join();
}

void timer_that_is_cancelled(const body& f) {
  heist::pool pool({.workers = 2});
  heist::asio_context context(pool);
  asio::steady_timer timer(context.get_executor(), std::chrono::hours(1));
  timer.async_wait([&](const asio::error_code&) { f(); });
  timer.cancel();
  context.join();
}

}  // namespace

std::vector<construct> asio_operations() {
  return {{"posted", 1, &posted},
          {"posted_to_a_strand", 1, &posted_to_a_strand},
          {"timer_that_is_cancelled", 1, &timer_that_is_cancelled}};
}

#else

std::vector<construct> asio_operations() { return {}; }

#endif

bool asio_needs_memory(const construct& c) {
  return c.name == "posted_to_a_strand" || c.name == "timer_that_is_cancelled";
}
bool asio_needs_epoll(const construct& c) { return c.name == "timer_that_is_cancelled"; }

}  // namespace heist_test
