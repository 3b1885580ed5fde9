#include "platform/new_file.hpp"

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "platform/file_calls.hpp"

namespace heist::inline v0::platform {

new_file::new_file(std::string path) {
  using std::filesystem::file_type;
  std::error_code ignored;
  const file_type type = std::filesystem::status(path, ignored).type();
  const bool is_new = type == file_type::not_found || type == file_type::none;  // or not to be seen
  if (is_new || (type == file_type::regular && !is_own_output(path.c_str())))
    open_aside(path);
  else
    file_ = open_in_place(path.c_str());
  if (file_ == nullptr) note_failure();
}

void new_file::open_aside(const std::string& path) {
  std::error_code is_new;
  const std::filesystem::path older = std::filesystem::canonical(path, is_new);
  target_ = is_new ? path : older.string();
  // A process of the same number, which ended in the middle or is another system's, may have left
  // some.
  constexpr int most_names = 100;
  for (int n = 0; n < most_names && file_ == nullptr; ++n) {
    aside_ = target_ + ".partial-" + std::to_string(process_number());
    if (n != 0) aside_ += "-" + std::to_string(n);
    file_ = create_file(aside_.c_str());
    if (file_ == nullptr && errno != EEXIST) return;
  }
  if (file_ == nullptr || is_new) return;
  std::error_code ignored;
  std::filesystem::permissions(aside_, std::filesystem::status(older, ignored).permissions(),
                               ignored);
}

new_file::~new_file() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  if (!aside_.empty()) std::remove(aside_.c_str());
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
    if (aside_.empty()) {
      errno = error_;
      return error_ == 0;
    }
    if (error_ == 0 && !replace_file(aside_.c_str(), target_.c_str())) note_failure();
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
