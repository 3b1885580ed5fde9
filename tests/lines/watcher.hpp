// Counts the cache lines that move between threads, as a machine would that has a cache of endless
// size for each thread and keeps them coherent by invalidation (MESI without the network).
//
// The program is compiled with -fsanitize=thread, whose calls (__tsan_read8 ...) come here and not
// to ThreadSanitizer. So nothing depends on the machine that it runs on: which thread touches which
// line, and how many threads have it, is counted for any number of threads on any processor. What
// inline assembly, the system and libraries touch is not seen.
#pragma once

#include <atomic>
#include <cstdint>

namespace heist_test {

// From then on accesses are counted; all lines are in no cache at first, and the first access to
// each moves nothing.
void watch_lines() noexcept;
void stop_watching_lines() noexcept;

// Lines that came to the calling thread since it was started: it read what another had written
// since, or wrote what another had read or written since.
[[nodiscard]] std::uint64_t lines_moved_here() noexcept;
// The same of all threads.
[[nodiscard]] std::uint64_t lines_moved() noexcept;

// Returns when the number has become as large, and touches nothing that is counted.
void wait_unwatched(const std::atomic<int>& number, int least) noexcept;
void add_unwatched(std::atomic<int>& number, int more) noexcept;

// For a look at which ones: prints the lines that moved most since the last call, and by what.
void print_lines_moved(const char* title, int most);

}  // namespace heist_test
