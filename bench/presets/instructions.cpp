#include "bench/presets/instructions.hpp"

#include <sched.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

#include <heist/detail/sanitizers.hpp>

namespace heist::bench {

namespace {

// What the traced process raises before and after a part.
constexpr int mark = SIGUSR1;

// Both processes on one processor: a stop is then a switch, and no message to another processor.
class on_one_processor {
 public:
  on_one_processor() noexcept {
    sched_getaffinity(0, sizeof(before_), &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
    sched_setaffinity(0, sizeof(one), &one);
  }
  ~on_one_processor() { sched_setaffinity(0, sizeof(before_), &before_); }
  on_one_processor(const on_one_processor&) = delete;
  on_one_processor& operator=(const on_one_processor&) = delete;

 private:
  cpu_set_t before_{};
};

// Follows the traced process until it ends.
class tracer {
 public:
  explicit tracer(pid_t process) noexcept : process_(process) {}

  std::optional<std::uint64_t> run() noexcept {
    int status = 0;
    if (waitpid(process_, &status, 0) != process_ || !WIFSTOPPED(status)) return std::nullopt;
    ptrace(PTRACE_SETOPTIONS, process_, nullptr, PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
    ptrace(PTRACE_CONT, process_, nullptr, nullptr);
    for (;;) {
      const pid_t who = waitpid(-1, &status, __WALL);
      if (who < 0) return std::nullopt;
      if (WIFSTOPPED(status))
        go_on(who, WSTOPSIG(status), (static_cast<unsigned>(status) >> 16U) != 0);
      else if (who == process_)
        break;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || marks_ != 4) return std::nullopt;
    return std::max(counts_[0], counts_[1]) - std::min(counts_[0], counts_[1]);
  }

 private:
  void go_on(pid_t who, int signal, bool is_event) noexcept {
    if (signal == mark) {
      ++marks_;
      stepped_ = marks_ % 2 == 1 ? who : 0;
    } else if (who == stepped_ && signal == SIGTRAP) {
      ++counts_[std::min(marks_ / 2, 1U)];
    }
    const bool is_ours =
        signal == mark || signal == SIGTRAP || signal == SIGSTOP || is_event;  // a new thread stops
    const auto passed_on = static_cast<long>(is_ours ? 0 : signal);
    ptrace(who == stepped_ ? PTRACE_SINGLESTEP : PTRACE_CONT, who, nullptr, passed_on);
  }

  const pid_t process_;
  pid_t stepped_ = 0;   // whose instructions are counted
  unsigned marks_ = 0;  // so far
  std::array<std::uint64_t, 2> counts_{};
};

}  // namespace

std::optional<std::uint64_t> instructions_between(
    const std::function<void(const std::function<void(const std::function<void()>&)>& count)>&
        work) {
#if HEIST_TSAN || HEIST_ASAN
  static_cast<void>(work);
  return std::nullopt;
#else
  const on_one_processor both;
  const pid_t process = fork();
  if (process < 0) return std::nullopt;
  if (process > 0) return tracer(process).run();
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(1);
  raise(SIGSTOP);
  try {
    work([](const std::function<void()>& part) {
      raise(mark);
      part();
      raise(mark);
    });
  } catch (...) {
    _exit(1);
  }
  _exit(0);
#endif
}

}  // namespace heist::bench
