// asio's pool of threads: first in, first out, without stealing; and a thread for each function.
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "bench/latency/systems.hpp"

#if HEIST_BENCH_ASIO
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <asio/thread_pool.hpp>
#endif

namespace heist::bench {

#if HEIST_BENCH_ASIO

namespace {

using namespace std::chrono_literals;

// Pieces of 20 us, one after the other, as long as it isn't over.
void post_pieces(asio::thread_pool& pool, const std::atomic<bool>& is_over,
                 std::atomic<unsigned>& running) {
  asio::post(pool, [&] {
    linger(is_over, 20us);
    if (is_over.load(std::memory_order_relaxed))
      running.fetch_sub(1, std::memory_order_relaxed);
    else
      post_pieces(pool, is_over, running);
  });
}

void wait_and_work(asio::steady_timer& timer, const std::atomic<bool>& is_over,
                   std::atomic<unsigned>& running) {
  timer.expires_after(1ms);
  timer.async_wait([&](const asio::error_code&) {
    linger(is_over, 20us);
    if (is_over.load(std::memory_order_relaxed))
      running.fetch_sub(1, std::memory_order_relaxed);
    else
      wait_and_work(timer, is_over, running);
  });
}

void wait_for_end(const std::atomic<unsigned>& running) {
  while (running.load(std::memory_order_relaxed) != 0) std::this_thread::sleep_for(1ms);
}

}  // namespace

latency_system asio_latency(unsigned workers) {
  const auto pool = std::make_shared<asio::thread_pool>(workers);
  latency_system s{"asio"};
  s.be_busy = [pool, workers](const std::atomic<bool>& is_over) {
    std::atomic<unsigned> running{workers};
    for (unsigned i = 0; i < workers; ++i) post_pieces(*pool, is_over, running);
    wait_for_end(running);
  };
  s.start = [pool](std::function<void()> f) { asio::post(*pool, std::move(f)); };
  s.connect = [pool](const std::atomic<bool>& is_over, unsigned connections) {
    std::atomic<unsigned> running{connections};
    std::vector<asio::steady_timer> timers;
    timers.reserve(connections);
    for (unsigned i = 0; i < connections; ++i) timers.emplace_back(*pool);
    for (asio::steady_timer& t : timers) wait_and_work(t, is_over, running);
    wait_for_end(running);
  };
  return s;
}

#else

latency_system asio_latency(unsigned) { return {"asio"}; }

#endif

latency_system async_latency() {
  latency_system s{"std::async"};
  s.start = [](std::function<void()> f) {
    // The future's destructor would wait.
    static std::mutex mutex;
    static std::vector<std::future<void>> all;
    auto one = std::async(std::launch::async, std::move(f));
    const std::lock_guard hold(mutex);
    if (all.size() > 64) all.clear();
    all.push_back(std::move(one));
  };
  return s;
}

}  // namespace heist::bench
