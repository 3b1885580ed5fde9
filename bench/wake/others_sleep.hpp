// Finds out from the kernel whether all other threads of this process are asleep.
#pragma once

#include <chrono>

namespace heist::bench {

// Returns true as soon as they are asleep, and false if they are not within `patience`. It looks
// repeatedly, and spins in between. The caller must not sleep either if the others shall remain
// asleep. A look costs some 10 us for each thread.
[[nodiscard]] bool wait_until_others_sleep(std::chrono::milliseconds patience);

}  // namespace heist::bench
