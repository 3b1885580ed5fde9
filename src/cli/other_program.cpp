#include "cli/other_program.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include <heist/error.hpp>

#include "cli/cli.hpp"

namespace heist::cli {

namespace {

// A program's only command goes without its name: heist-cluster uts; and its help is an option,
// which every program has.
std::vector<std::string> arguments_of(const registered_command& command,
                                      std::vector<std::string> words) {
  const auto all = registered_commands();
  const auto count = std::count_if(all.begin(), all.end(), [&](const registered_command& each) {
    return each.program == command.program;
  });
  if (count > 1) return words;
  words.erase(std::find(words.begin(), words.end(), command.name));
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  return words;
}

void become(const std::string& path, const std::vector<std::string>& words) {
  std::vector<std::string> all = {path};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> pointers;
  for (auto& each : all) pointers.push_back(each.data());
  pointers.push_back(nullptr);
  ::execv(path.c_str(), pointers.data());
}

}  // namespace

void become_program_of(const registered_command& command, std::vector<std::string> words) {
  std::error_code failed;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) throw resource_error(fmt::format("/proc/self/exe: {}", failed.message()));
  const auto folder = own.parent_path();
  restore_signals();
  const auto arguments = arguments_of(command, std::move(words));
  for (const auto& place : {folder, folder.parent_path() / "libexec" / "heist"}) {
    const auto path = (place / command.program).string();
    become(path, arguments);
    if (errno != ENOENT && errno != ENOTDIR)
      throw resource_error(fmt::format("{}: {}", path, std::strerror(errno)));
  }
  throw resource_error(
      fmt::format("{0} is in the program {1}, which isn't beside {2}: in "
                  "heist's sources scripts/build {1} builds it",
                  command.name, command.program, own.string()));
}

}  // namespace heist::cli
