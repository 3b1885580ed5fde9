#include "platform/file_calls.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <initializer_list>

namespace heist::inline v0::platform {

namespace {

// -1: the file is none of this process's outputs.
int own_descriptor(const char* path) noexcept {
  struct stat file {};
  if (::stat(path, &file) != 0) return -1;
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat own {};
    if (::fstat(descriptor, &own) == 0 && own.st_dev == file.st_dev && own.st_ino == file.st_ino)
      return descriptor;
  }
  return -1;
}

}  // namespace

long process_number() noexcept { return ::getpid(); }

std::FILE* create_file(const char* path) noexcept { return std::fopen(path, "wxe"); }

// Opening an output again would overwrite what was printed, where it is a file.
std::FILE* open_in_place(const char* path) noexcept {
  const int own = own_descriptor(path);
  if (own < 0) return std::fopen(path, "we");
  const int descriptor = ::fcntl(own, F_DUPFD_CLOEXEC, 0);
  return descriptor < 0 ? nullptr : ::fdopen(descriptor, "w");
}

bool is_own_output(const char* path) noexcept { return own_descriptor(path) >= 0; }

bool write_to_disk(std::FILE* file) noexcept {
  return std::fflush(file) == 0 && ::fsync(::fileno(file)) == 0;
}

bool replace_file(const char* from, const char* to) noexcept { return std::rename(from, to) == 0; }

}  // namespace heist::inline v0::platform
