#include "bench/multiprogrammed/competitor.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string>
#include <thread>

#include <heist/error.hpp>

#include "bench/processor_time.hpp"
#include "bench/rounds.hpp"

namespace heist::bench {

namespace {

// Calls only functions that are allowed in a child of a program with threads. The child stops
// itself, but not before it is certain that it will end with its parent.
[[noreturn]] void spin_until_killed(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);  // the parent ended before prctl
  kill(getpid(), SIGSTOP);
  for (;;) asm volatile("");
}

void signal_all(const std::vector<pid_t>& pids, int signal) noexcept {
  for (const pid_t pid : pids) kill(pid, signal);
}

// Returns when the process no longer runs.
void wait_until_stopped(pid_t pid) noexcept {
  int status = 0;
  while (waitpid(pid, &status, WUNTRACED) == -1 && errno == EINTR) {
  }
}

void reap(const std::vector<pid_t>& pids) noexcept {
  signal_all(pids, SIGKILL);
  for (const pid_t pid : pids)
    while (waitpid(pid, nullptr, 0) == -1 && errno == EINTR) {
    }
}

}  // namespace

competitor::competitor(unsigned processes) {
  const pid_t parent = getpid();
  for (unsigned i = 0; i < processes; ++i) {
    const pid_t pid = fork();
    if (pid == 0) spin_until_killed(parent);
    if (pid == -1) {
      const int reason = errno;
      reap(pids_);
      throw resource_error(std::string("no process to compete with: ") + std::strerror(reason));
    }
    pids_.push_back(pid);
    wait_until_stopped(pid);
  }
}

competitor::~competitor() { reap(pids_); }

void competitor::pause() const noexcept {
  signal_all(pids_, SIGSTOP);
  for (const pid_t pid : pids_) wait_until_stopped(pid);
}
void competitor::resume() const noexcept { signal_all(pids_, SIGCONT); }

double processors_for_spinners(unsigned threads, double seconds) {
  std::atomic<unsigned> running{0};
  std::atomic<bool> stop{false};
  std::vector<std::jthread> spinners;
  spinners.reserve(threads);
  for (unsigned i = 0; i < threads; ++i)
    spinners.emplace_back([&] {
      // Relaxed: the count and the flag publish nothing else.
      running.fetch_add(1, std::memory_order_relaxed);
      while (!stop.load(std::memory_order_relaxed)) asm volatile("");
    });
  while (running.load(std::memory_order_relaxed) < threads)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const auto start = clock::now();
  const auto before = processor_time::now();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  const auto after = processor_time::now();
  const double wall = seconds_since(start);
  stop.store(true, std::memory_order_relaxed);
  return (after.seconds - before.seconds) / wall;
}

}  // namespace heist::bench
