// The compare-and-wait of the kernel, by the functions on which libc++ builds std::atomic::wait.
// Apple's public os_sync_wait_on_address does the same, but only since macOS 14.4.
#include "platform/word_wait.hpp"

#include <algorithm>
#include <cerrno>

// Exported by libSystem and declared by no header of the SDK.
extern "C" {
int __ulock_wait(std::uint32_t operation, void* address, std::uint64_t value,
                 std::uint32_t timeout_us);
int __ulock_wake(std::uint32_t operation, void* address, std::uint64_t value);
}

namespace heist::inline v0::platform {

namespace {

constexpr std::uint32_t compare_and_wait = 1;  // 32 bits, private to the process

}  // namespace

void wait_on_word(park_word& word, std::uint32_t expected,
                  std::optional<std::chrono::nanoseconds> timeout) noexcept {
  std::uint32_t microseconds = 0;  // for ever
  if (timeout) {
    constexpr std::chrono::microseconds most = std::chrono::minutes(30);  // callers come back
    const auto whole = std::chrono::ceil<std::chrono::microseconds>(*timeout);
    microseconds =
        static_cast<std::uint32_t>(std::clamp(whole, std::chrono::microseconds(1), most).count());
  }
  const int before = errno;
  __ulock_wait(compare_and_wait, &word, expected, microseconds);
  errno = before;
}

void wake_word(park_word* word) noexcept {
  const int before = errno;
  __ulock_wake(compare_and_wait, word, 0);
  errno = before;
}

}  // namespace heist::inline v0::platform
