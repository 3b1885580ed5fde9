#include "cli/output.hpp"

#include <cerrno>
#include <cstring>
#include <memory>

#include <heist/error.hpp>

namespace heist::cli {

namespace {

using file_handle = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

[[noreturn]] void fail_to_write(const std::string& path) {
  throw resource_error(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

[[noreturn]] void fail() {
  throw resource_error(fmt::format("cannot write the output: {}", std::strerror(errno)));
}

}  // namespace

void output::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail();
}

void output::flush() {
  if (std::fflush(file_) != 0) fail();
}

void write_file(const std::string& path, std::string_view text) {
  const file_handle file(std::fopen(path.c_str(), "wb"), std::fclose);
  if (file == nullptr || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
      std::fflush(file.get()) != 0)
    fail_to_write(path);
}

void require_writable(const std::string& path) {
  if (path.empty()) return;
  const file_handle file(std::fopen(path.c_str(), "ab"), std::fclose);
  if (file == nullptr) fail_to_write(path);
}

}  // namespace heist::cli
