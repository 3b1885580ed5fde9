// Reading input files, with errors that a person can act on: one line with the name and the reason.

#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace heist::workloads {

struct file_closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using file_handle = std::unique_ptr<std::FILE, file_closer>;

// Each throws resource_error that names the file and what the system says.
[[nodiscard]] file_handle open_for_reading(const std::string& path);
[[nodiscard]] file_handle open_for_writing(const std::string& path);

// The size of a regular file; 0 for pipes, devices and files of /proc, whose size is known at the
// end.
[[nodiscard]] std::uint64_t size_hint(std::FILE* file, const std::string& path);

// Reads to the end, a piece at a time: a pipe or a device that never ends can be refused on the
// way. `take` sees each piece once, in order.
void read_all(std::FILE* file, const std::string& path,
              const std::function<void(std::span<const char>)>& take);

}  // namespace heist::workloads
