#include "bench/memory/child.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include <heist/error.hpp>

extern "C" char** environ;

namespace heist::bench {

namespace {

[[noreturn]] void refuse(const std::string& program, const std::string& why) {
  throw resource_error(fmt::format("{}: {}", program, why));
}

class read_end {
 public:
  explicit read_end(int descriptor) : descriptor_(descriptor) {}
  ~read_end() { close(descriptor_); }
  read_end(const read_end&) = delete;
  read_end& operator=(const read_end&) = delete;

  [[nodiscard]] std::string read_all() const {
    std::string text;
    char buffer[4096];
    for (;;) {
      const auto size = read(descriptor_, buffer, sizeof(buffer));
      if (size > 0)
        text.append(buffer, static_cast<std::size_t>(size));
      else if (size == 0 || errno != EINTR)
        return text;
    }
  }

 private:
  int descriptor_;
};

int wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) == -1)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

std::string program_of(const workloads::option_values& values, const char* option,
                       const char* name) {
  if (!values.text(option).empty()) return values.text(option);
  const auto beside = std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
  return std::filesystem::exists(beside) ? beside.string() : std::string();
}

std::string output_of(const std::string& program, const std::vector<std::string>& arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) refuse(program, std::strerror(errno));
  const read_end output(ends[0]);
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const auto& each : arguments) argv.push_back(const_cast<char*>(each.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t pid = 0;
  const int refused = posix_spawn(&pid, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (refused != 0) refuse(program, std::strerror(refused));
  auto text = output.read_all();
  const int code = wait_for(pid);
  if (code != 0) refuse(program, fmt::format("ended with {}", code));
  return text;
}

std::uint64_t number_in(const std::string& json, const std::string& name) {
  const auto key = '"' + name + "\":";
  const auto at = json.find(key);
  if (at == std::string::npos) throw resource_error("no " + name + " in what a child printed");
  return std::strtoull(json.c_str() + at + key.size(), nullptr, 10);
}

}  // namespace heist::bench
