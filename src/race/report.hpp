// What the detector says: on stderr as it finds it, and in a file at the end.
#pragma once

#include <cstdint>

#include "race/detector.hpp"

namespace heist::inline v0::race::reports {

// After so many the others are counted.
inline constexpr std::size_t most = 100;

// Reads HEIST_RACE. Ends the process for a bad value.
void begin() noexcept;
// Once for each pair of places. The caller has to be `apart`.
void add(detector& d, std::uintptr_t address, const one_access& earlier,
         const one_access& later) noexcept;
// The exit code of a program that has no errors.
[[nodiscard]] int finish(detector& d) noexcept;
// Says why on stderr and ends the process with exit code 1.
[[noreturn]] void give_up(const char* why, int error) noexcept;
// The same for a wait, unless the program has threads of its own.
void give_up_waiting(const detector& d) noexcept;
// Once: what other threads do isn't looked at.
void note_other_thread() noexcept;

// Of the program's own checks of its tests (heist/race.hpp): "file.cpp:12 file.cpp:14", the lines
// of report i, the earlier access first; nullptr: there is none.
[[nodiscard]] const char* lines_of(std::size_t i) noexcept;
[[nodiscard]] std::size_t count() noexcept;

}  // namespace heist::inline v0::race::reports
