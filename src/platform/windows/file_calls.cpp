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
