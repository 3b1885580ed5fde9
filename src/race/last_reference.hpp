// The one that lowers a counter of references to zero.
//
// It frees what others have used, and no graph of branches says that they are done: the counter
// does. So what it does isn't looked at, until the memory in which the counter lies is freed, or
// the function that has lowered it returns. What else that function does is then left out: the last
// of several that count down runs after all others in every schedule.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heist::inline v0::race {

// Above 0: what this thread does isn't the program's, or isn't looked at.
extern constinit thread_local int away __attribute__((tls_model("initial-exec")));
// So much of it is heist's, in the program: the memory that it allocates is the program's.
extern constinit thread_local int in_heist __attribute__((tls_model("initial-exec")));

}  // namespace heist::inline v0::race

namespace heist::inline v0::race::last_reference {

// 0: none is held.
extern constinit thread_local std::uintptr_t held_counter
    __attribute__((tls_model("initial-exec")));

[[nodiscard]] inline bool is_held() noexcept { return held_counter != 0; }
// Whether the calling thread isn't the program's, or is in the detector: `away` is raised for one
// that is held, too, whose accesses alone are left out.
[[nodiscard]] inline bool is_away() noexcept { return away > (is_held() ? 1 : 0); }
// The same, except that what heist does in the program is no matter.
[[nodiscard]] inline bool is_elsewhere() noexcept { return away - in_heist > (is_held() ? 1 : 0); }
void hold(std::uintptr_t counter, std::size_t depth) noexcept;
// The calls that the thread is in are as many now.
void left(std::size_t depth) noexcept;
void freed(std::uintptr_t first, std::size_t bytes) noexcept;

}  // namespace heist::inline v0::race::last_reference
