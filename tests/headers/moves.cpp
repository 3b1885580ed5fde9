// Joins in a loop, many of which move the function to another thread: afterwards errno and
// heist::this_thread_id() must be those of that thread, whatever the compiler keeps in registers.
// With --table it prints how often each is not, and std::this_thread::get_id() and a thread_local
// beside them.
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "heist/fork_join.hpp"
#include "heist/pool.hpp"
#include "heist/this_thread.hpp"

namespace {

thread_local int local = 0;

// Read by calls of which the compiler knows nothing.
[[gnu::noinline]] const int* true_errno() {
  static int* (*volatile const where)() = &__errno_location;
  return where();
}
[[gnu::noinline]] std::thread::id true_id() {
  static pthread_t (*volatile const self)() = &pthread_self;
  const pthread_t handle = self();
  std::thread::id id;
  static_assert(sizeof(id) == sizeof(handle));
  std::memcpy(static_cast<void*>(&id), &handle, sizeof(id));
  return id;
}
[[gnu::noinline]] const int* true_local() {
  asm volatile("" ::: "memory");
  return &local;
}

void spin(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

struct counts {
  long moved = 0, wrong_errno = 0, wrong_id = 0, wrong_get_id = 0, wrong_local = 0;
};

counts join_in_a_loop(long joins) {
  using std::chrono::microseconds;
  counts c;
  for (long i = 0; i < joins; ++i) {
    errno = 0;
    local = 0;
    const std::thread::id before = heist::this_thread_id();
    const std::thread::id kept = std::this_thread::get_id();
    // If the second function is stolen, the first one's thread waits for it, and who has stolen it
    // goes on.
    heist::fork_join([] { spin(microseconds(2)); }, [] { spin(microseconds(20)); });
    c.moved += heist::this_thread_id() != before;
    c.wrong_errno += &errno != true_errno();
    c.wrong_id += heist::this_thread_id() != true_id();
    c.wrong_get_id += std::this_thread::get_id() != true_id() || kept == std::thread::id();
    c.wrong_local += &local != true_local();
  }
  return c;
}

}  // namespace

int main(int argc, char** argv) {
  const bool table = argc > 1 && std::strcmp(argv[1], "--table") == 0;
  heist::pool pool({.workers = 3});
  constexpr long joins = 5'000;
  counts c;
  for (int round = 0; round < 40 && c.moved < 10; ++round)
    c = pool.run([] { return join_in_a_loop(joins); });
  std::printf("of %ld joins %ld moved", joins, c.moved);
  if (table)
    std::printf("; wrong: errno %ld, this_thread_id %ld, get_id %ld, a thread_local %ld",
                c.wrong_errno, c.wrong_id, c.wrong_get_id, c.wrong_local);
  std::printf("\n");
  if (c.moved == 0) std::printf("none moved, so nothing was seen\n");
  if (table) return 0;
  if (c.wrong_errno != 0) std::printf("errno was another thread's %ld times\n", c.wrong_errno);
  if (c.wrong_id != 0) std::printf("this_thread_id was another's %ld times\n", c.wrong_id);
  return c.moved != 0 && c.wrong_errno == 0 && c.wrong_id == 0 ? 0 : 1;
}
