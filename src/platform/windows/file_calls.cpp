#include "platform/file_calls.hpp"

#include <io.h>
#include <windows.h>

#include <cerrno>

namespace heist::inline v0::platform {

long process_number() noexcept { return static_cast<long>(::GetCurrentProcessId()); }

std::FILE* create_file(const char* path) noexcept { return std::fopen(path, "wbxN"); }
std::FILE* open_in_place(const char* path) noexcept { return std::fopen(path, "wbN"); }

bool is_own_output(const char*) noexcept { return false; }  // CON and the like are no files

bool write_to_disk(std::FILE* file) noexcept {
  return std::fflush(file) == 0 && ::_commit(::_fileno(file)) == 0;
}

int create_growing_file(const char*) noexcept {
  errno = ENOSYS;
  return -1;
}
bool reserve_in_file(int, std::uint64_t, std::uint64_t) noexcept { return false; }
void* map_part_of_file(int, std::uint64_t, std::size_t) noexcept { return nullptr; }
void unmap_part_of_file(void*, std::size_t) noexcept {}
bool read_from_file(int, std::uint64_t, void*, std::size_t) noexcept { return false; }
bool write_to_file(int, std::uint64_t, const void*, std::size_t) noexcept { return false; }
bool shorten_file(int, std::uint64_t) noexcept { return false; }
void close_growing_file(int) noexcept {}

bool replace_file(const char* from, const char* to) noexcept {
  if (::MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING) != 0) return true;
  switch (::GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
      errno = ENOENT;
      break;
    case ERROR_DISK_FULL:
      errno = ENOSPC;
      break;
    default:
      errno = EACCES;
  }
  return false;
}

}  // namespace heist::inline v0::platform
