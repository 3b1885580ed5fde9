// Threads of the system: starting one without an exception when the system refuses, its name, its
// number.
//
// A refusal (EAGAIN: RLIMIT_NPROC, the pids cgroup, no memory for the stack) is ordinary for a
// pool: it works with the threads that it got and says so.
#pragma once

#include <sys/types.h>

#include <cerrno>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#if !defined(_WIN32)
#include <signal.h>
#endif

namespace heist::inline v0::platform {

// True, with errno EAGAIN, when a test wants this start refused.
[[nodiscard]] bool thread_start_is_injected_fault() noexcept;

// Starts a thread that runs `body`, or returns nullopt with errno set (EAGAIN, ENOMEM) if the
// system refuses. Any other exception of body's own move or copy passes through.
template <class F>
[[nodiscard]] std::optional<std::thread> try_start_thread(F&& body) {
  if (thread_start_is_injected_fault()) return std::nullopt;
  try {
    return std::thread(std::forward<F>(body));
  } catch (const std::system_error& refused) {
    errno = refused.code().value();
  } catch (const std::bad_alloc&) {
    errno = ENOMEM;
  }
  return std::nullopt;
}

// Names the calling thread for debuggers and top(1); cut to the 15 bytes that Linux keeps.
void set_thread_name(const char* name) noexcept;
// The same by the prefix, the separator and the number one after the other. Neither allocates.
void set_thread_name(std::string_view prefix, char separator, unsigned number) noexcept;

// The calling thread's name, for a reader; empty if the system keeps none.
[[nodiscard]] std::string thread_name();

// The kernel's number of the calling thread (gettid), as heavy_barrier and /proc use it. A system
// call: keep the result.
[[nodiscard]] pid_t thread_id() noexcept;

// Whether the calling thread is the one in which the program began.
[[nodiscard]] bool is_main_thread() noexcept;

// The processor time of a thread of this process, in ns; 0 if it has ended.
[[nodiscard]] std::int64_t processor_time_of(pid_t thread) noexcept;

// What the scheduler says of a thread.
struct thread_usage {
  std::uint64_t processor_ns = 0;  // on a processor
  std::uint64_t ready_ns = 0;      // able to run, and without one
  bool knows_ready = false;        // the system tells the second (Linux: /proc, schedstat)
};
// Of a thread of this process; zeros if it has ended. Six microseconds: it reads a file. Allocates
// nothing, and keeps errno.
[[nodiscard]] thread_usage usage_of(pid_t thread) noexcept;

// While it exists no signal is handled on the calling thread, nor on a thread that is started
// meanwhile, for as long as that one lives: the program's own threads handle its signals. Both ends
// on the same thread. Nothing on systems without signals.
class signals_held {
 public:
  signals_held() noexcept;
  ~signals_held();
  signals_held(const signals_held&) = delete;
  signals_held& operator=(const signals_held&) = delete;

 private:
#if !defined(_WIN32)
  sigset_t before_;
#endif
};

// Fault injection: the next `after_n` starts work, all later ones are refused with EAGAIN;
// negative: off. Process-wide.
void set_thread_faults_for_test(long after_n) noexcept;

}  // namespace heist::inline v0::platform
