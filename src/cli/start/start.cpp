#include "cli/start/start.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>

#include <fmt/format.h>
#include <unistd.h>

#include <heist/error.hpp>

namespace heist::cli {

namespace {

// Reads the option at arguments[i], which becomes the place of its last word; false: it is another.
// `-P N`, `-PN`, `--workers N`, `--workers=N`.
bool read_option(std::string_view command, const leading_option& o, int argc,
                 const char* const* argv, int& i) {
  const std::string_view word = argv[i];
  const bool is_whole = word == o.longer || (!o.shorter.empty() && word == o.shorter);
  if (o.value == nullptr) {
    if (is_whole) *o.is_given = true;
    return is_whole;
  }
  if (is_whole) {
    if (++i == argc) throw usage_error(fmt::format("{}: {} takes {}", command, word, o.what));
    *o.value = argv[i];
  } else if (word.starts_with(o.longer) && word[o.longer.size()] == '=') {
    *o.value = word.substr(o.longer.size() + 1);
  } else if (!o.shorter.empty() && word.starts_with(o.shorter)) {
    *o.value = word.substr(o.shorter.size());
  } else {
    return false;
  }
  if (o.is_given != nullptr) *o.is_given = true;
  return true;
}

}  // namespace

std::optional<std::vector<std::string>> read_program(std::string_view command, int argc,
                                                     const char* const* argv,
                                                     std::span<const leading_option> options) {
  int i = 0;
  for (; i < argc && argv[i][0] == '-'; ++i) {
    const std::string_view word = argv[i];
    if (word == "--help" || word == "-h") return std::nullopt;
    if (word == "--") {
      ++i;
      break;
    }
    bool is_read = false;
    for (const leading_option& o : options)
      is_read = is_read || read_option(command, o, argc, argv, i);
    if (!is_read)
      throw usage_error(fmt::format("{0}: no option {1}; see heist {0} --help", command, word));
  }
  if (i == argc)
    throw usage_error(fmt::format("{0}: name a program: heist {0} PROGRAM [ARGUMENT...]", command));
  return std::vector<std::string>(argv + i, argv + argc);
}

std::filesystem::path own_path() {
  std::error_code failed;
  auto own = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) throw resource_error(fmt::format("/proc/self/exe: {}", failed.message()));
  return own;
}

std::string folder_of_library(std::string_view folder, std::string_view file,
                              std::string_view why_missing) {
  const auto own = own_path();
  for (const char* libraries : {"lib", HEIST_LIBRARIES_FROM_BINARIES}) {
    const auto place = own.parent_path() / libraries / folder;
    if (std::filesystem::exists(place / file)) return place.lexically_normal().string();
  }
  throw resource_error(
      fmt::format("there is no lib/{}/{} beside {}: {}", folder, file, own.string(), why_missing));
}

void set_variable(const char* name, const std::string& value) {
  if (::setenv(name, value.c_str(), 1) != 0) throw std::bad_alloc();
}

void prepend_to_variable(const char* name, std::string value) {
  if (const char* const before = std::getenv(name); before != nullptr && *before != '\0')
    value += fmt::format(":{}", before);
  set_variable(name, value);
}

void become(std::string_view command, std::vector<std::string> program) {
  std::vector<char*> pointers;
  for (auto& each : program) pointers.push_back(each.data());
  pointers.push_back(nullptr);
  ::execvp(pointers.front(), pointers.data());
  throw resource_error(fmt::format("{}: {}: {}", command, program.front(), std::strerror(errno)));
}

}  // namespace heist::cli
