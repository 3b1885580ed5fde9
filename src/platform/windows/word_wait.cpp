// WaitOnAddress: Windows 8 and newer. It waits in whole milliseconds, so a shorter time is rounded
// up; the system's timer may add up to 16 ms to that.
#include "platform/word_wait.hpp"

#include <windows.h>

namespace heist::inline v0::platform {

void wait_on_word(park_word& word, std::uint32_t expected,
                  std::optional<std::chrono::nanoseconds> timeout) noexcept {
  DWORD milliseconds = INFINITE;
  if (timeout) {
    constexpr std::chrono::milliseconds most = std::chrono::hours(24);  // callers come back
    const auto whole = std::chrono::ceil<std::chrono::milliseconds>(*timeout);
    milliseconds = static_cast<DWORD>((whole < most ? whole : most).count());
  }
  ::WaitOnAddress(&word, &expected, sizeof(expected), milliseconds);
}

void wake_word(park_word* word) noexcept { ::WakeByAddressSingle(word); }

}  // namespace heist::inline v0::platform
