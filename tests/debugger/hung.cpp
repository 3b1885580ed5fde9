// A program whose fibers wait for things of known names, for heist_gdb_test.py. When all of them
// wait it calls all_wait(), where the test has a breakpoint; then it lets them go on.
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>

#include "heist/heist.hpp"

// In C, so that a backtrace without debug information has these names as they are; what comes after
// the wait keeps each of them a frame of its own.
extern "C" {
[[gnu::noinline]] int waits_for_a_letter(heist::channel<int>& letters) {
  return letters.receive().value_or(0) + 1;
}
[[gnu::noinline]] void waits_at_the_latch(heist::latch& l) {
  l.wait();
  asm volatile("");
}
[[gnu::noinline]] void all_wait() { asm volatile(""); }
}

int main() {
  heist::pool pool({.workers = 2, .name = "hung"});
  heist::channel<int> letters(1);
  heist::latch l(1);
  std::atomic<bool> is_over{false};
  heist::future<int> first = pool.submit([&] { return waits_for_a_letter(letters); });
  heist::future<void> second = pool.submit([&] { waits_at_the_latch(l); });
  heist::future<void> third = pool.submit([&] {
    while (!is_over.load()) std::this_thread::yield();
  });
  while (heist::describe_pools().find("suspended fibers: 2") == std::string::npos)
    std::this_thread::yield();
  all_wait();
  is_over.store(true);
  l.count_down();
  const bool is_sent = letters.send(1);
  second.get();
  third.get();
  std::printf("%d\n", is_sent ? first.get() : 0);
}
