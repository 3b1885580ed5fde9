// Runs a piece of a test in a process of its own, so that a crash or a hang is a failure with a
// name.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace heist_test {

// The child's report to its parent, in memory that both share, so that it survives the child's
// death.
class report {
 public:
  // The number of the step that the child is about to make.
  void at(long step) noexcept { step_.store(step); }
  // The number of the last system call that was refused.
  void refused(long call) noexcept { refused_.store(call); }
  // Reports a failure; the first message is kept, and has_failed() is true from then on.
  [[gnu::format(printf, 2, 3)]] void fail(const char* format, ...) noexcept;
  [[nodiscard]] bool has_failed() const noexcept { return has_failed_.load(); }
  // A number for the test's output.
  void count(long n) noexcept { count_.store(n); }

 private:
  friend std::string run_apart(const std::function<void(report&)>&, std::chrono::seconds, long*);
  std::atomic<long> step_{0};
  std::atomic<long> refused_{-1};
  std::atomic<long> count_{0};
  std::atomic<bool> has_failed_{false};
  std::atomic<bool> is_told_{false};
  char message_[480] = {};
};

// How a process ended: "exit 3", "signal 11", or "hang".
[[nodiscard]] std::string wait_for_end(pid_t process, std::chrono::seconds limit);

// Runs the body in a child of fork(). Returns an empty text on success, or else what failed, or how
// the child died and at which step.
[[nodiscard]] std::string run_apart(const std::function<void(report&)>& body,
                                    std::chrono::seconds limit = std::chrono::seconds(60),
                                    long* count = nullptr);

// The same for a body that ends the process itself. Returns how the process ended, and what it
// wrote to stderr, which must be short.
struct ending {
  std::string how;
  std::string errors;
};
[[nodiscard]] ending run_to_its_end(const std::function<void()>& body,
                                    std::chrono::seconds limit = std::chrono::seconds(30));

}  // namespace heist_test
