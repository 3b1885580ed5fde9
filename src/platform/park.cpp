// futex(2) by hand, since glibc has no wrapper. Errors are not reported: EAGAIN (the word had
// changed) and EINTR are ordinary returns, and the others (EFAULT, EINVAL) would be a bad address,
// which the reference rules out.
#include "park.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string_view>

#include "heist/detail/sanitizers.hpp"
#include "platform/shared_futex.hpp"

namespace heist::inline v0::platform {

namespace {

long futex(park_word& word, int operation, std::uint32_t value, const std::timespec* deadline,
           park_bits bits) noexcept {
  return ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word),
                   operation | FUTEX_PRIVATE_FLAG, value, deadline, nullptr, bits);
}

}  // namespace

void futex_wait(park_word& word, std::uint32_t expected, park_bits bits) noexcept {
#if HEIST_TSAN
  // ThreadSanitizer holds a signal back until the thread's next intercepted call. One that comes
  // just before the wait would be held for as long as it lasts, and with it the one that waits for
  // the handler (barrier.hpp). A spurious return is allowed anyway.
  futex_wait_for(word, expected, std::chrono::milliseconds(10), bits);
#else
  const int saved = errno;
  futex(word, FUTEX_WAIT_BITSET, expected, nullptr, bits);
  errno = saved;
#endif
}

bool futex_wait_for(park_word& word, std::uint32_t expected, std::chrono::nanoseconds timeout,
                    park_bits bits) noexcept {
  if (timeout <= std::chrono::nanoseconds::zero()) return false;
  // The kernel takes a moment of this clock, which is steady_clock's.
  std::timespec deadline{};
  ::clock_gettime(CLOCK_MONOTONIC, &deadline);
  const auto at = std::chrono::nanoseconds(deadline.tv_nsec) + timeout % std::chrono::seconds(1);
  const auto carry = std::chrono::duration_cast<std::chrono::seconds>(at);
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(timeout) + carry;
  deadline.tv_sec += static_cast<std::time_t>(whole.count());
  deadline.tv_nsec = static_cast<long>((at - carry).count());
  const int saved = errno;
  const bool timed_out =
      futex(word, FUTEX_WAIT_BITSET, expected, &deadline, bits) == -1 && errno == ETIMEDOUT;
  errno = saved;
  return !timed_out;
}

int futex_wake(park_word& word, int count, park_bits bits) noexcept {
  const int saved = errno;
  const long woken =
      futex(word, FUTEX_WAKE_BITSET, static_cast<std::uint32_t>(count), nullptr, bits);
  errno = saved;
  return woken < 0 ? 0 : static_cast<int>(woken);
}

}  // namespace heist::inline v0::platform

// ---- shared_futex.hpp

namespace heist::inline v0::platform {

std::optional<std::uint64_t> process_start_time(pid_t pid) noexcept {
  char path[40];
  std::snprintf(path, sizeof(path), "/proc/%d/stat", static_cast<int>(pid));
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  char text[1024];
  const ssize_t n = ::read(fd, text, sizeof(text));
  ::close(fd);
  if (n <= 0) return std::nullopt;
  // The second field, the name in parentheses, may hold anything.
  std::string_view rest(text, static_cast<std::size_t>(n));
  const std::size_t name_end = rest.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  rest.remove_prefix(name_end + 1);
  constexpr int fields_between = 20;  // the third field is the first of them
  for (int i = 0; i < fields_between; ++i) {
    const std::size_t space = rest.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(space + 1);
  }
  std::uint64_t time = 0;
  const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), time);
  if (problem != std::errc()) return std::nullopt;
  return time;
}

}  // namespace heist::inline v0::platform
