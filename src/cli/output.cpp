#include "cli/output.hpp"

#include <cerrno>
#include <cstring>

#include <heist/error.hpp>

#include "workloads/files.hpp"

namespace heist::cli {

namespace {

[[noreturn]] void fail() {
  if (errno == EPIPE) throw workloads::closed_pipe();
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
  workloads::output_file file(path);
  if (std::fwrite(text.data(), 1, text.size(), file.stream()) != text.size()) file.fail(errno);
  file.commit();
}

void require_writable(std::initializer_list<std::string_view> paths) {
  for (const auto path : paths)
    if (!path.empty()) workloads::require_writable(std::string(path));
}

}  // namespace heist::cli
