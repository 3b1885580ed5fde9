// A program outside heist's source tree that uses only the installed package.

#include <atomic>
#include <cstdio>
#include <cstring>

#include <heist/heist.hpp>
#include <heist/version.hpp>

long fib(int n) {
  if (n < 2) return n;
  auto [a, b] = heist::fork_join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

// heist passes exceptions on in a way that depends on the standard library: each must arrive, and
// none may be left.
struct thrown {
  static inline std::atomic<int> alive{0};
  thrown() { alive.fetch_add(1, std::memory_order_relaxed); }
  thrown(const thrown&) { alive.fetch_add(1, std::memory_order_relaxed); }
  ~thrown() { alive.fetch_sub(1, std::memory_order_relaxed); }
};

template <class F>
int caught(F f) {
  try {
    f();
  } catch (const thrown&) {
    return 1;
  }
  return 0;
}

int exceptions_arrive() {
  int n = caught([] { heist::fork_join([] { throw thrown(); }, [] { fib(15); }); });
  n += caught([] { heist::fork_join([] { fib(15); }, [] { throw thrown(); }); });
  n += caught([] { heist::fork_join([] { throw thrown(); }, [] { throw thrown(); }); });
  n += caught([] {
    heist::scope([](heist::task_scope& s) {
      for (int i = 0; i < 100; ++i) s.spawn([] { throw thrown(); });
    });
  });
  n += caught([] { heist::parallel_for(0, 100, [](int) { throw thrown(); }); });
  n += caught([] { heist::submit([] { throw thrown(); }).get(); });
  return n;
}

int main() {
  if (std::strcmp(HEIST_VERSION_STRING, EXPECTED_VERSION) != 0) {
    std::fprintf(stderr, "version %s, expected %s\n", HEIST_VERSION_STRING, EXPECTED_VERSION);
    return 1;
  }
  const int arrived = heist::pool().run(exceptions_arrive);  // and the pool's workers have ended
  const int alive = thrown::alive.load(std::memory_order_relaxed);
  std::printf("%d of 6 exceptions arrived, %d left\n", arrived, alive);
  const long result = fib(25);
  std::printf("fib(25) = %ld\n", result);
  return arrived == 6 && alive == 0 && result == 75025 ? 0 : 1;
}
