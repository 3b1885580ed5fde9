#include "workloads/files.hpp"

#include <cerrno>
#include <cstring>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>

#include <heist/error.hpp>

namespace heist::workloads {

namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20;

[[noreturn]] void fail(std::string_view deed, const std::string& path, int error) {
  throw resource_error(fmt::format("cannot {} '{}': {}", deed, path, std::strerror(error)));
}

}  // namespace

file_handle open_for_reading(const std::string& path) {
  file_handle file(std::fopen(path.c_str(), "rbe"));
  if (!file) fail("read", path, errno);
  return file;
}

file_handle open_for_writing(const std::string& path) {
  file_handle file(std::fopen(path.c_str(), "wbe"));
  if (!file) fail("write", path, errno);
  return file;
}

std::uint64_t size_hint(std::FILE* file, const std::string& path) {
  struct stat info {};
  if (fstat(fileno(file), &info) != 0) fail("read", path, errno);
  if (S_ISDIR(info.st_mode)) fail("read", path, EISDIR);
  return S_ISREG(info.st_mode) ? static_cast<std::uint64_t>(info.st_size) : 0;
}

void read_all(std::FILE* file, const std::string& path,
              const std::function<void(std::span<const char>)>& take) {
  std::vector<char> piece(piece_bytes);
  while (true) {
    const auto count = std::fread(piece.data(), 1, piece.size(), file);
    if (count != 0) take({piece.data(), count});
    if (count == piece.size()) continue;
    if (std::ferror(file) != 0) fail("read", path, errno);
    return;
  }
}

}  // namespace heist::workloads
