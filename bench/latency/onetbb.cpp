#include <memory>

#include "bench/latency/systems.hpp"

#if HEIST_BENCH_ONETBB
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

namespace heist::bench {

latency_system onetbb_latency([[maybe_unused]] unsigned workers) {
  latency_system s{"oneTBB"};
#if HEIST_BENCH_ONETBB
  using namespace std::chrono_literals;
  // One thread more than workers: the one that makes the long call counts as one.
  const auto limit = std::make_shared<tbb::global_control>(
      tbb::global_control::max_allowed_parallelism, workers + 1);
  s.be_busy = [limit](const std::atomic<bool>& is_over) {
    tbb::parallel_for(0, 1'000'000, [&](int) { linger(is_over, 1us); });
  };
  s.loop_of_work = [](int n) { tbb::parallel_for(0, n, [](int) { piece_of_work(); }); };
  s.short_loop = [] { tbb::parallel_for(0, 10, [](int) {}); };
  const auto arena = std::make_shared<tbb::task_arena>(static_cast<int>(workers), 0);
  s.start = [arena](std::function<void()> f) { arena->enqueue(std::move(f)); };
#endif
  return s;
}

}  // namespace heist::bench
