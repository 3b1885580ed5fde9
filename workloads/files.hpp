// Reading and writing files, with errors that a person can act on: one line with the name and the
// reason.
//
// A file that is written replaces an older one as a whole: what is interrupted, or finds the disk
// full, leaves the older one as it was, and no empty one where there was none.

#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace heist::workloads {

struct file_closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using file_handle = std::unique_ptr<std::FILE, file_closer>;

// Throws resource_error that names the file and what the system says, as everything here does.
[[nodiscard]] file_handle open_for_reading(const std::string& path);

// The size of a regular file; 0 for pipes, devices and files of /proc, whose size is known at the
// end.
[[nodiscard]] std::uint64_t size_hint(std::FILE* file, const std::string& path);

// Reads to the end, a piece at a time: a pipe or a device that never ends can be refused on the
// way. `take` sees each piece once, in order.
void read_all(std::FILE* file, const std::string& path,
              const std::function<void(std::span<const char>)>& take);

// Before long work, whose result would be lost otherwise: refuses what output_file couldn't write,
// and changes nothing.
void require_writable(const std::string& path);

// The reader of a pipe is gone. No error: it had enough, and nobody is there to be told.
class closed_pipe : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "the reader is gone"; }
};

// A file that is being written, under another name beside its own until it is whole. What is no
// regular file (a pipe, a device, the process's own output) is written as it is. One at a time in a
// process.
class output_file {
 public:
  explicit output_file(const std::string& path);
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;
  ~output_file();  // without commit(): removes what was written

  [[nodiscard]] std::FILE* stream() const { return file_.get(); }
  // Nothing may be written after it. Throws closed_pipe too, as fail() does.
  void commit();
  // Throws for `error`, as errno has it, of a write to this file.
  [[noreturn]] void fail(int error) const;

 private:
  [[nodiscard]] bool open_beside(const std::string& target, const struct stat* older);
  [[nodiscard]] int open_in_place(const struct stat* older) const;

  std::string path_;
  std::string target_;  // what path_ is once links are followed; empty: path_ is written in place
  std::string beside_;  // the name until commit()
  file_handle file_;
};

// Removes the file that an output_file is writing, if there is one. For a signal's handler that
// ends the process.
void remove_unfinished_file() noexcept;

}  // namespace heist::workloads
