// Whether this process's other threads are all asleep, as the kernel sees it.
#pragma once

#include <chrono>

namespace heist::bench {

// True when they are; false if that hasn't come to pass within `patience`. The caller must not sleep
// itself if it wants to keep them asleep: it looks, and spins in between. Some 10 us for each thread
// and look.
[[nodiscard]] bool wait_until_others_sleep(std::chrono::milliseconds patience);

}  // namespace heist::bench
