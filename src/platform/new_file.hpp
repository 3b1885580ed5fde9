// A file that is there as a whole or not at all: written aside, then renamed. Behind links, the
// file to which they lead is replaced, and keeps its permissions. What is no file (a device, a
// pipe), or is this process's output, is written in place.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace heist::inline v0::platform {

class new_file {
 public:
  // The partial file's name is that of the file, with the number of the process.
  explicit new_file(std::string path);
  // Removes what was not finished.
  ~new_file();
  new_file(const new_file&) = delete;
  new_file& operator=(const new_file&) = delete;

  // After a failure nothing more is written.
  void write(std::string_view bytes) noexcept;
  // Waits until what was written is on the disk, where it outlives the machine's failure.
  void sync() noexcept;
  // True: the file is there, and has replaced an older one. False: the first failure's reason is in
  // errno, and an older file is as it was.
  [[nodiscard]] bool finish() noexcept;

 private:
  void open_aside(const std::string& path);
  void note_failure() noexcept;

  std::string target_, aside_;  // aside_ is empty where the file is written in place
  std::FILE* file_ = nullptr;
  int error_ = 0;
};

// Both in one; false as above.
[[nodiscard]] bool write_whole_file(const std::string& path, std::string_view content);

}  // namespace heist::inline v0::platform
