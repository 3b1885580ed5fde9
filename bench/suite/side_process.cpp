#include "bench/suite/side_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "bench/benchmark.hpp"

extern "C" char** environ;

namespace heist::bench {

namespace {

// Two ends of a pipe, which are closed unless somebody takes them.
struct pipe_ends {
  int read = -1, write = -1;

  pipe_ends() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      throw resource_error(std::string("no pipe: ") + std::strerror(errno));
    read = ends[0];
    write = ends[1];
  }
  ~pipe_ends() {
    if (read >= 0) close(read);
    if (write >= 0) close(write);
  }
  pipe_ends(const pipe_ends&) = delete;
  pipe_ends& operator=(const pipe_ends&) = delete;
  static int take(int& end) { return std::exchange(end, -1); }
};

}  // namespace

side_process::side_process(const std::string& program, const std::vector<std::string>& arguments,
                           double longest_run_s)
    : program_(program), longest_run_s_(longest_run_s) {
  pipe_ends in;
  pipe_ends out;
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const auto& each : arguments) argv.push_back(const_cast<char*>(each.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.read, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.write, STDOUT_FILENO);
  // A process group of its own: Ctrl-C is for the suite, which ends when a run has finished.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  const int refused =
      posix_spawn(&pid_, program.c_str(), &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (refused != 0) {
    pid_ = -1;
    refuse(std::strerror(refused));
  }
  to_ = pipe_ends::take(in.write);
  from_ = pipe_ends::take(out.read);
  close(pipe_ends::take(out.write));  // its end is that of the child alone
  try {
    if (const auto said = read_line(); said != "ready") refuse("said '" + said + "'");
  } catch (...) {
    end();
    throw;
  }
}

side_process::~side_process() { end(); }

void side_process::end() noexcept {
  if (to_ >= 0) close(std::exchange(to_, -1));
  if (from_ >= 0) close(std::exchange(from_, -1));
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) == -1 && errno == EINTR) {
  }
  pid_ = -1;
}

void side_process::stop() noexcept {
  if (pid_ < 0) return;
  kill(pid_, SIGSTOP);
  // Returns when none of its threads runs any more.
  int status = 0;
  while (waitpid(pid_, &status, WUNTRACED) == -1 && errno == EINTR) {
  }
  // It has ended, and its number may be another process's from now on.
  if (!WIFSTOPPED(status)) pid_ = -1;
}
void side_process::go_on() noexcept {
  if (pid_ >= 0) kill(pid_, SIGCONT);
}

void side_process::refuse(const std::string& why) const {
  throw resource_error(fmt::format("{}: {}", program_, why));
}

std::string side_process::read_line() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(longest_run_s_);
  for (;;) {
    if (const auto at = read_.find('\n'); at != std::string::npos) {
      const auto line = read_.substr(0, at);
      read_.erase(0, at + 1);
      return line;
    }
    const std::chrono::duration<double, std::milli> left = end - std::chrono::steady_clock::now();
    pollfd ready{from_, POLLIN, 0};
    const int found = left.count() <= 0 ? 0 : poll(&ready, 1, static_cast<int>(left.count()) + 1);
    if (found == 0) refuse(fmt::format("no answer for {:.0f} s", longest_run_s_));
    if (found < 0) {
      if (errno == EINTR) continue;
      refuse(std::strerror(errno));
    }
    char buffer[4096];
    const auto size = ::read(from_, buffer, sizeof(buffer));
    if (size > 0)
      read_.append(buffer, static_cast<std::size_t>(size));
    else if (size == 0 || errno != EINTR)
      refuse("ended before it answered");
  }
}

std::string side_process::ask(std::string_view command, std::string_view word) {
  const std::string line = std::string(command) + '\n';
  if (::write(to_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    refuse("ended, or doesn't listen");
  const auto said = read_line();
  const auto rest = [&](std::string_view before) { return said.substr(before.size() + 1); };
  if (said.starts_with(std::string(word) + ' ')) return rest(word);
  if (said.starts_with("wrong ")) throw wrong_result(program_ + ": " + rest("wrong"));
  if (said.starts_with("refused ")) throw usage_error(program_ + ": " + rest("refused"));
  refuse("said '" + said + "'");
}

side_process::timed side_process::time(const char* command) {
  const auto said = ask(command, "time");
  const auto blank = said.find(' ');
  if (blank == std::string::npos) refuse("said '" + said + "'");
  return {std::strtod(said.c_str(), nullptr), said.substr(blank + 1)};
}

std::uint64_t side_process::steals() {
  return std::strtoull(ask("steals", "steals").c_str(), nullptr, 10);
}
std::uint64_t side_process::peak_bytes() {
  return std::strtoull(ask("peak", "peak").c_str(), nullptr, 10);
}

}  // namespace heist::bench
