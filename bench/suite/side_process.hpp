// A process that runs one program whenever it is told to: one side of a comparison
// (workloads/side.hpp).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heist::bench {

class side_process {
 public:
  // Starts it, and waits until it is ready. Throws resource_error, which names the program, if it
  // can't be started, or ends, or says nothing for `longest_run_s`.
  side_process(const std::string& program, const std::vector<std::string>& arguments,
               double longest_run_s);
  // Ends it.
  ~side_process();
  side_process(const side_process&) = delete;
  side_process& operator=(const side_process&) = delete;

  struct timed {
    double seconds;
    std::string checksum;
  };

  // Runs the serial or the parallel program. Throws wrong_result for a result that the program
  // itself knows to be wrong, usage_error for what it refuses, resource_error as above.
  [[nodiscard]] timed run_serial() { return time("serial"); }
  [[nodiscard]] timed run() { return time("run"); }

  // Between turns: a library's idle threads may spin, and would take the processors from the next
  // side. Nothing may be asked of a process that is stopped.
  void stop() noexcept;
  void go_on() noexcept;

  [[nodiscard]] std::string result() { return ask("result", "result"); }  // of the last run
  [[nodiscard]] std::uint64_t steals();                                   // so far
  [[nodiscard]] std::uint64_t peak_bytes();                               // resident memory

 private:
  void end() noexcept;
  [[nodiscard]] timed time(const char* command);
  // Answers what follows the word.
  [[nodiscard]] std::string ask(std::string_view command, std::string_view word);
  [[nodiscard]] std::string read_line();
  [[noreturn]] void refuse(const std::string& why) const;

  std::string program_;
  double longest_run_s_;
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1;  // its standard input and output
  std::string read_;         // beyond the last line
};

}  // namespace heist::bench
