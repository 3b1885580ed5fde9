#include "report/text_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include <heist/error.hpp>

namespace heist::report {

std::string read_text_file(const std::string& path, std::size_t most) {
  const auto fail = [&] {
    throw resource_error(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                             std::fclose);
  if (file == nullptr) fail();
  std::string text;
  std::size_t got = 1;
  while (got > 0 && text.size() <= most) {
    constexpr std::size_t piece = 65'536;
    const std::size_t before = text.size();
    text.resize(before + piece);
    got = std::fread(text.data() + before, 1, piece, file.get());
    text.resize(before + got);
  }
  if (std::ferror(file.get()) != 0) fail();
  return text;
}

}  // namespace heist::report
