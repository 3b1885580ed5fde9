// futex(2) by hand, since glibc has no wrapper. Errors are not reported: EAGAIN (the word had
// changed) and EINTR are ordinary returns, and the others (EFAULT, EINVAL) would be a bad address,
// which the reference rules out.
#include "park.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

namespace heist::inline v0::platform {

namespace {

#if defined(__SANITIZE_THREAD__)
#define HEIST_SHORT_WAITS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HEIST_SHORT_WAITS 1
#endif
#endif

long futex(park_word& word, int operation, std::uint32_t value,
           const std::timespec* timeout) noexcept {
  return ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word),
                   operation | FUTEX_PRIVATE_FLAG, value, timeout, nullptr, 0);
}

}  // namespace

void futex_wait(park_word& word, std::uint32_t expected) noexcept {
#if defined(HEIST_SHORT_WAITS)
  // ThreadSanitizer holds a signal back until the thread's next intercepted call. One that comes
  // just before the wait would be held for as long as it lasts, and with it whoever waits for the
  // handler (barrier.hpp). A spurious return is allowed anyway.
  futex_wait_for(word, expected, std::chrono::milliseconds(10));
#else
  const int saved = errno;
  futex(word, FUTEX_WAIT, expected, nullptr);
  errno = saved;
#endif
}

bool futex_wait_for(park_word& word, std::uint32_t expected,
                    std::chrono::nanoseconds timeout) noexcept {
  if (timeout <= std::chrono::nanoseconds::zero()) return false;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout);
  std::timespec relative{};
  relative.tv_sec = static_cast<std::time_t>(seconds.count());
  relative.tv_nsec = static_cast<long>((timeout - seconds).count());
  const int saved = errno;
  const bool timed_out = futex(word, FUTEX_WAIT, expected, &relative) == -1 && errno == ETIMEDOUT;
  errno = saved;
  return !timed_out;
}

int futex_wake(park_word& word, int count) noexcept {
  const int saved = errno;
  const long woken = futex(word, FUTEX_WAKE, static_cast<std::uint32_t>(count), nullptr);
  errno = saved;
  return woken < 0 ? 0 : static_cast<int>(woken);
}

}  // namespace heist::inline v0::platform
