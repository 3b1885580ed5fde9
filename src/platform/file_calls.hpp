// What new_file.hpp needs of the system. Failures are told as the standard library does: errno.
#pragma once

#include <cstdio>

namespace heist::inline v0::platform {

// The number of this process.
[[nodiscard]] long process_number() noexcept;

// Both open a file for bytes, which no program inherits that this one starts; nullptr, with errno.
// The first one makes it: EEXIST if there is anything of that name. The second writes to what is
// there; behind what this process has printed, if that is its output.
[[nodiscard]] std::FILE* create_file(const char* path) noexcept;
[[nodiscard]] std::FILE* open_in_place(const char* path) noexcept;

// Whether the file is this process's standard output or standard error.
[[nodiscard]] bool is_own_output(const char* path) noexcept;

// Waits until what was written is on the disk. False, with errno.
[[nodiscard]] bool write_to_disk(std::FILE* file) noexcept;

// Renames in one step, over a file that is there. False, with errno.
[[nodiscard]] bool replace_file(const char* from, const char* to) noexcept;

}  // namespace heist::inline v0::platform
