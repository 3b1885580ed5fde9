// The peak of this process's resident memory.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace heist::bench {

// Returns bytes, or 0 if /proc is not readable. Linux counts in batches: up to 64 pages for each
// thread may be missing on kernels before 6.2. The function allocates nothing, because its own
// memory is measured too.
[[nodiscard]] inline std::uint64_t peak_resident_bytes() {
  const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file == -1) return 0;
  char buffer[8192];
  const auto size = read(file, buffer, sizeof(buffer) - 1);
  close(file);
  if (size <= 0) return 0;
  buffer[size] = '\0';
  constexpr std::string_view key = "VmHWM:";
  const auto at = std::string_view(buffer).find(key);
  if (at == std::string_view::npos) return 0;
  return std::strtoull(buffer + at + key.size(), nullptr, 10) * 1024;
}

}  // namespace heist::bench
