// The handler only raises a semaphore. A thread that was started for this purpose prints, since a
// handler may call nothing that allocates or takes a lock.
#include "observe/stats/stats_signal.hpp"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "heist/error.hpp"
#include "heist/stats.hpp"
#include "platform/process.hpp"
#include "platform/thread.hpp"

namespace heist::inline v0::detail {

namespace {

sem_t told;  // counts signals that are not answered yet
constinit std::atomic<unsigned> watched{
    0};  // generation + 1 of the process that has a thread for them

void on_signal(int) noexcept {
  const int before = errno;
  sem_post(&told);
  errno = before;
}

// A person who interrupts a program wants it to end.
bool ends_the_process(int signal) noexcept {
  return signal == SIGINT || signal == SIGTERM || signal == SIGQUIT;
}

void write_all(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
    if (n > 0)
      text.remove_prefix(static_cast<std::size_t>(n));
    else if (n == 0 || errno != EINTR)
      return;
  }
}

void print_pools() noexcept {
  try {
    write_all(describe_pools());
  } catch (const std::exception& e) {
    write_all("heist: cannot tell what the pools are doing: ");
    write_all(e.what());
    write_all("\n");
  }
}

// Does what the signal would have done without us; its handler is gone (SA_RESETHAND).
void end_by(int signal) noexcept {
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(signal);
}

void answer_signals(int signal) noexcept {
  platform::set_thread_name("heist-stats");
  for (;;) {
    while (sem_wait(&told) != 0) {
    }
    print_pools();
    if (ends_the_process(signal)) end_by(signal);
  }
}

// A handler that the program has set stays, and so does its wish to ignore the signal.
void handle(int signal) noexcept {
  struct sigaction before {};
  if (sigaction(signal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) return;
  struct sigaction ours {};
  ours.sa_handler = &on_signal;
  // The second interrupt ends a process whose answer to the first one hangs.
  ours.sa_flags = SA_RESTART;
  if (ends_the_process(signal)) ours.sa_flags |= static_cast<int>(SA_RESETHAND);
  sigfillset(&ours.sa_mask);
  sigaction(signal, &ours, nullptr);
}

// 0: none.
int signal_from_environment() {
  constexpr std::pair<std::string_view, int> signals[] = {
      {"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"INT", SIGINT}, {"TERM", SIGTERM}, {"QUIT", SIGQUIT}};
  const char* const value = platform::environment_variable("HEIST_STATS_SIGNAL");
  if (value == nullptr || std::string_view(value).empty()) return 0;
  for (const auto& [name, signal] : signals)
    if (name == value) return signal;
  throw usage_error("HEIST_STATS_SIGNAL=" + std::string(value) +
                    ": must be USR1, USR2, INT, TERM or QUIT");
}

}  // namespace

void watch_for_stats_signal() {
  const int signal = signal_from_environment();
  if (signal == 0) return;
  const unsigned me = platform::process_generation() + 1;
  // Relaxed: only the first caller does what follows.
  if (watched.exchange(me, std::memory_order_relaxed) == me) return;
  sem_init(&told, 0, 0);  // anew in a child of fork(), which has the handler and no thread
  std::optional<std::thread> thread;
  {
    const platform::signals_held hold;
    thread = platform::try_start_thread([signal] { answer_signals(signal); });
  }
  if (!thread) {
    const int refused = errno;
    watched.store(0, std::memory_order_relaxed);
    throw resource_error("HEIST_STATS_SIGNAL: the system refused a thread: " +
                         std::string(std::strerror(refused)));
  }
  thread->detach();
  handle(signal);
}

}  // namespace heist::inline v0::detail
