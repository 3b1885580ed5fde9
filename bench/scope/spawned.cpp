#include "bench/scope/spawned.hpp"

#include <atomic>

#include <heist/fork_join.hpp>
#include <heist/pool.hpp>
#include <heist/scope.hpp>

namespace heist::bench::spawned {

namespace {

// Each worker has a count of its own. There are 64 of them, each in its own cache line.
class counters {
 public:
  void add() {
    const auto mine = static_cast<std::size_t>(this_worker::index() & 63);
    std::atomic_ref<std::uint64_t> one(each_[mine].value);
    one.store(one.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t sum() const {
    std::uint64_t all = 0;
    for (const auto& one : each_) all += one.value;
    return all;
  }

 private:
  struct alignas(128) line {
    std::uint64_t value = 0;
  };
  line each_[64];
};

}  // namespace

std::size_t fib(std::size_t n) {
  if (n < 2) return n;
  std::size_t a = 0;
  const std::size_t b = scope([&a, n](task_scope& s) {
    s.spawn([&a, n] { a = fib(n - 1); });
    return fib(n - 2);
  });
  return a + b;
}

std::size_t fib_by_children(std::size_t n) {
  if (n < 2) return n;
  std::size_t a = 0;
  const std::size_t b = scope(spawn_kind::child, [&a, n](task_scope& s) {
    s.spawn([&a, n] { a = fib_by_children(n - 1); });
    return fib_by_children(n - 2);
  });
  return a + b;
}

std::uint64_t loop_of_spawns(std::uint64_t n, spawn_kind kind) {
  counters ran;
  scope(kind, [&](task_scope& s) {
    for (std::uint64_t i = 0; i < n; ++i) s.spawn([&ran] { ran.add(); });
  });
  return ran.sum();
}

std::uint64_t loop_of_scopes(std::uint64_t n, spawn_kind kind) {
  counters ran;
  for (std::uint64_t i = 0; i < n; i += 10)
    scope(kind, [&ran](task_scope& s) {
      for (int j = 0; j < 10; ++j) s.spawn([&ran] { ran.add(); });
    });
  return ran.sum();
}

std::uint64_t loop_of_forks(std::uint64_t n) {
  counters ran;
  for (std::uint64_t i = 0; i < n; i += 2) fork_join([&ran] { ran.add(); }, [&ran] { ran.add(); });
  return ran.sum();
}

}  // namespace heist::bench::spawned
