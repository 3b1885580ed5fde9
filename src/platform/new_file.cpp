#include "platform/new_file.hpp"

#include <cerrno>
#include <utility>

#include "platform/file_calls.hpp"

namespace heist::inline v0::platform {

new_file::new_file(std::string path)
    : path_(std::move(path)),
      aside_(path_ + ".partial-" + std::to_string(process_number())),
      file_(open_to_write(aside_.c_str())) {
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
  if (error_ == 0 && (!write_to_disk(file_))) note_failure();
}

bool new_file::finish() noexcept {
  if (file_ != nullptr) {
    if (std::fclose(file_) != 0) note_failure();
    file_ = nullptr;
    if (error_ == 0 && !replace_file(aside_.c_str(), path_.c_str())) note_failure();
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
