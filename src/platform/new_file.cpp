#include "platform/new_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace heist::inline v0::platform {

new_file::new_file(std::string path)
    : path_(std::move(path)),
      aside_(path_ + ".partial-" + std::to_string(::getpid())),
      file_(std::fopen(aside_.c_str(), "we")) {
  if (file_ == nullptr) note_failure();
}

new_file::~new_file() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::remove(aside_.c_str());
}

void new_file::note_failure() noexcept {
  if (error_ == 0) error_ = errno;
}

void new_file::write(std::string_view bytes) noexcept {
  if (error_ == 0 && std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size())
    note_failure();
}

void new_file::sync() noexcept {
  if (error_ == 0 && (std::fflush(file_) != 0 || ::fsync(::fileno(file_)) != 0)) note_failure();
}

bool new_file::finish() noexcept {
  if (file_ != nullptr) {
    if (std::fclose(file_) != 0) note_failure();
    file_ = nullptr;
    if (error_ == 0 && std::rename(aside_.c_str(), path_.c_str()) != 0) note_failure();
    if (error_ != 0) std::remove(aside_.c_str());
  }
  errno = error_;
  return error_ == 0;
}

bool write_whole_file(const std::string& path, std::string_view content) {
  new_file file(path);
  file.write(content);
  return file.finish();
}

}  // namespace heist::inline v0::platform
