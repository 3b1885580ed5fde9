#include "platform/file_calls.hpp"

#include <unistd.h>

namespace heist::inline v0::platform {

long process_number() noexcept { return ::getpid(); }

std::FILE* open_to_write(const char* path) noexcept { return std::fopen(path, "we"); }

bool write_to_disk(std::FILE* file) noexcept {
  return std::fflush(file) == 0 && ::fsync(::fileno(file)) == 0;
}

bool replace_file(const char* from, const char* to) noexcept { return std::rename(from, to) == 0; }

}  // namespace heist::inline v0::platform
