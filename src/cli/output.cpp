#include "cli/output.hpp"

#include <cerrno>
#include <cstring>

#include <heist/error.hpp>

namespace heist::cli {

namespace {

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

}  // namespace heist::cli
