// What new_file.hpp needs of the system. Failures are told as the standard library does: errno.
#pragma once

#include <cstddef>
#include <cstdint>
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

// A file that grows, and whose parts are memory of this process. All that fails says so in errno;
// ENOSYS where the system has no such thing (Windows).
//
// Makes it, for this process and none that it starts; EEXIST if there is anything of that name.
[[nodiscard]] int create_growing_file(const char* path) noexcept;  // -1: failed
// Sees to it that the disk has room for these bytes, so that writing them as memory can't fail.
[[nodiscard]] bool reserve_in_file(int file, std::uint64_t at, std::uint64_t bytes) noexcept;
// A child of fork() doesn't inherit the memory.
[[nodiscard]] void* map_part_of_file(int file, std::uint64_t at, std::size_t bytes) noexcept;
void unmap_part_of_file(void* part, std::size_t bytes) noexcept;
[[nodiscard]] bool read_from_file(int file, std::uint64_t at, void* to, std::size_t bytes) noexcept;
[[nodiscard]] bool write_to_file(int file, std::uint64_t at, const void* from,
                                 std::size_t bytes) noexcept;
[[nodiscard]] bool shorten_file(int file, std::uint64_t bytes) noexcept;
void close_growing_file(int file) noexcept;

// Renames in one step, over a file that is there. False, with errno.
[[nodiscard]] bool replace_file(const char* from, const char* to) noexcept;

}  // namespace heist::inline v0::platform
