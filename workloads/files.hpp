// Reading and writing files, with errors that a person can act on: one line with the name and the
// reason.
//
// A file that is written replaces an older one as a whole. If the writing is interrupted,
// or the disk is full, the older file stays as it was, and no empty file appears where there was
// none.

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

// Throws resource_error with the file's name and the system's reason, as all functions here do.
[[nodiscard]] file_handle open_for_reading(const std::string& path);

// The size of a regular file; 0 for pipes, devices and files of /proc, whose size is known only at
// their end.
[[nodiscard]] std::uint64_t size_hint(std::FILE* file, const std::string& path);

// Reads to the end, a piece at a time, so that a pipe or a device that never ends can be refused
// while it is read. `take` sees each piece once, in order.
void read_all(std::FILE* file, const std::string& path,
              const std::function<void(std::span<const char>)>& take);

// Call this before long work whose result would be lost otherwise: it throws if output_file could
// not write the file, and changes nothing.
void require_writable(const std::string& path);

// The reader of a pipe is gone. This is not an error: the reader needed no more, and nobody is left
// to be told.
class closed_pipe : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "the reader is gone"; }
};

// A file that is being written. Until it is complete it has another name in the same folder. A file
// that is not regular (a pipe, a device, the process's own output) is written in place. A process
// writes at most one output_file at a time.
class output_file {
 public:
  explicit output_file(const std::string& path);
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;
  ~output_file();  // without commit(): removes what was written

  [[nodiscard]] std::FILE* stream() const { return file_.get(); }
  // Nothing may be written after commit(). It may also throw closed_pipe, as fail() does.
  void commit();
  // Throws for the errno value `error` of a write to this file.
  [[noreturn]] void fail(int error) const;

 private:
  [[nodiscard]] bool open_beside(const std::string& target, const struct stat* older);
  [[nodiscard]] int open_in_place(const struct stat* older) const;

  std::string path_;
  std::string target_;  // what path_ is once links are followed; empty: path_ is written in place
  std::string beside_;  // the name until commit()
  file_handle file_;
};

// Removes the file that an output_file is writing, if there is one. It is meant for a signal
// handler that ends the process.
void remove_unfinished_file() noexcept;

}  // namespace heist::workloads
