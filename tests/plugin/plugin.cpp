// A plugin that uses heist inside, such as a game, an editor or Python loads while it runs.
#include <stdexcept>

#include <heist/heist.hpp>

namespace {

long fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = heist::fork_join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

}  // namespace

// Runs in the plugin's default pool, whose threads continue to live after the function returns.
extern "C" long plugin_fib(int n) { return fib(n); }

// Runs in a pool that ends before the function returns, with scopes, loops, suspensions and
// exceptions.
extern "C" int plugin_all() {
  heist::pool pool({.workers = 3});
  return pool.run([] {
    long spawned[8] = {};
    heist::scope([&](heist::task_scope& s) {
      for (long& x : spawned) s.spawn([&x] { x = fib(10); });
    });
    long sum = 0;
    for (const long x : spawned) sum += x;
    heist::mutex mutex;
    long counted = 0;
    heist::parallel_for(0, 1000, [&](int) {
      const std::lock_guard hold(mutex);
      ++counted;
    });
    try {
      heist::fork_join([] { throw std::runtime_error("expected"); }, [] {});
    } catch (const std::runtime_error&) {
      return sum == 8 * 55 && counted == 1000 ? 0 : 1;
    }
    return 2;
  });
}
