#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "cli/cli.hpp"
#include "cli/other_program.hpp"
#include "workloads/files.hpp"

namespace heist::cli {

namespace {

struct ignored_signal {
  int number;
  void (*before)(int) = SIG_DFL;
};
// A reader that has gone, or a file-size limit, is then a write error, like a full disk.
ignored_signal ignored[] = {{SIGPIPE}, {SIGXFSZ}};

// If standard output was closed, a file that is opened later must not take its place. It is opened
// for reading, so that printing still fails.
void occupy_closed_descriptors() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor)
    if (fcntl(descriptor, F_GETFD) == -1) (void)open("/dev/null", O_RDONLY | O_CLOEXEC);
}

// Ends with a shell's code for the signal. The pools' threads end with the process.
extern "C" void end_interrupted(int signal) {
  workloads::remove_unfinished_file();
  _exit(128 + signal);
}

void say_name(std::vector<std::string>& words, commands which, std::string_view name) {
  const auto is_said = [&](const built_in_command& each) { return words.front() == each.name; };
  if (!words.empty() && std::any_of(which.begin(), which.end(), is_said)) return;
  if (!words.empty() && words.front() == "--version") return;
  const bool helps = !words.empty() && words.front() == "help";
  words.insert(words.begin() + (helps ? 1 : 0), std::string(name));
}

}  // namespace

void restore_signals() {
  for (const auto& each : ignored) std::signal(each.number, each.before);
}

int run_program(commands which, int argc, char** argv, std::string_view only_command) noexcept try {
  occupy_closed_descriptors();
  for (auto& each : ignored) each.before = std::signal(each.number, SIG_IGN);
  setenv("HWLOC_HIDE_ERRORS", "2", 0);  // a machine that shows no topology is not an error here
  for (const int each : {SIGINT, SIGTERM}) std::signal(each, end_interrupted);
  std::vector<std::string> words(argv + (argc > 0), argv + argc);
  if (!only_command.empty()) say_name(words, which, only_command);
  return run_cli(which, words, stdout, stderr);
} catch (...) {
  return environment_refused;  // no memory for the words
}

// ---- other_program.hpp

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
