// A process that shows its pools (HEIST_MONITOR=1), from outside.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/top/top.hpp"

namespace heist::cli {

class monitored_process {
 public:
  // Throws resource_error, in one line, if there is no such process, it is another user's, it shows
  // nothing, or its file is damaged or of another version.
  explicit monitored_process(pid_t pid);
  ~monitored_process();
  monitored_process(const monitored_process&) = delete;
  monitored_process& operator=(const monitored_process&) = delete;

  // Asks for a snapshot and waits for it, at most so long; nothing: no answer yet. Throws
  // resource_error if the file is damaged.
  [[nodiscard]] std::optional<seen_process> look(std::chrono::milliseconds patience);
  [[nodiscard]] bool has_ended() const noexcept;
  [[nodiscard]] const std::string& command() const noexcept { return command_; }
  [[nodiscard]] pid_t pid() const noexcept { return pid_; }

 private:
  void check_header() const;
  [[noreturn]] void refuse_file() const;
  [[nodiscard]] std::uint32_t word_at(std::size_t offset) const;
  void ask() const;
  [[nodiscard]] std::optional<seen_process> read() const;

  pid_t pid_;
  std::string path_, command_;
  std::uint64_t start_time_ = 0;
  int file_ = -1;
  void* header_ = nullptr;  // for the kernel's futexes only
};

struct listed_process {
  pid_t pid;
  std::string command;
};
// Those that the caller may look at.
[[nodiscard]] std::vector<listed_process> monitored_processes();

}  // namespace heist::cli
