// Shows two ways to spawn: thieves can steal the spawner's continuation (continuation), or the
// child (child). The program prints in what order one worker runs the functions, and how much of
// the deque a loop of spawns needs.
#include <cstdio>
#include <string>

#include <heist/heist.hpp>

namespace {

std::string order_of(heist::spawn_kind kind) {
  std::string order;
  heist::scope(kind, [&](heist::task_scope& s) {
    for (char c = 'a'; c <= 'e'; ++c) {
      order += '(';
      s.spawn([&order, c] { order += c; });
      order += ')';
    }
  });
  return order;
}

// The number of spawns that found the deque full.
unsigned long long without_place(heist::spawn_kind kind) {
  heist::pool one({.workers = 1, .fork_depth = 1000});
  one.run([kind] {
    heist::scope(kind, [](heist::task_scope& s) {
      for (int i = 0; i < 100'000; ++i) s.spawn([] {});
    });
  });
  return one.stats().total.inlined_forks;
}

}  // namespace

int main() {
  heist::pool one({.workers = 1});
  for (const auto kind : heist::all_spawn_kinds) {
    const std::string order = one.run([kind] { return order_of(kind); });
    std::printf("%-12s  %s  of 100000 spawns %llu found no place among 1000\n",
                std::string(to_string(kind)).c_str(), order.c_str(), without_place(kind));
  }
}
