#include <algorithm>
#include <csignal>
#include <cstdlib>

#include <fcntl.h>
#include <unistd.h>

#include "cli/cli.hpp"
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

}  // namespace heist::cli
