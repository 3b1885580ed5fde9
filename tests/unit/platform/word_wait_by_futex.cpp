// word_wait.hpp by futex(2), for the test of park_lot.cpp.
#include "platform/word_wait.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

namespace heist::inline v0::platform {

void wait_on_word(park_word& word, std::uint32_t expected,
                  std::optional<std::chrono::nanoseconds> timeout) noexcept {
  const int before = errno;
  std::timespec left{};
  if (timeout) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*timeout);
    left.tv_sec = static_cast<std::time_t>(seconds.count());
    left.tv_nsec = static_cast<long>((*timeout - seconds).count());
  }
  ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT_PRIVATE, expected,
            timeout ? &left : nullptr, nullptr, 0);
  errno = before;
}

void wake_word(park_word* word) noexcept {
  const int before = errno;
  ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(word), FUTEX_WAKE_PRIVATE, 1, nullptr,
            nullptr, 0);
  errno = before;
}

}  // namespace heist::inline v0::platform
