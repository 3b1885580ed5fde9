#include "workloads/files.hpp"

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <heist/error.hpp>

namespace heist::workloads {

namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20;

[[noreturn]] void fail(std::string_view deed, const std::string& path, int error) {
  throw resource_error(fmt::format("cannot {} '{}': {}", deed, path, std::strerror(error)));
}

// The name of the file that is being written, for remove_unfinished_file(). It is not a string,
// because a signal handler cannot read a string that may have been destroyed.
char unfinished_name[PATH_MAX];
std::atomic<bool> has_unfinished{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal's handler reads it");

// The result is empty if there is no such file, or if the name is too long to lead to one.
std::optional<struct stat> look_at(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return std::nullopt;
  return info;
}

// A dangling link counts as a file, because its target would not be in this folder.
bool is_absent(const std::string& path) {
  struct stat info {};
  return lstat(path.c_str(), &info) != 0 && errno == ENOENT;
}

std::string folder_of(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string without_links(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), std::free);
  return real ? std::string(real.get()) : path;
}

// Standard output or standard error, if the file is one of them: opening it again would lose what
// was printed there.
int own_descriptor(const struct stat& file) {
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat own {};
    if (fstat(descriptor, &own) == 0 && own.st_dev == file.st_dev && own.st_ino == file.st_ino)
      return descriptor;
  }
  return -1;
}

// A folder may refuse new files, or the name may be too long to be extended, although the file
// itself can be written.
bool only_refuses_another_name(int error) {
  return error == EACCES || error == EPERM || error == EROFS || error == ENAMETOOLONG;
}

}  // namespace

file_handle open_for_reading(const std::string& path) {
  file_handle file(std::fopen(path.c_str(), "rbe"));
  if (!file) fail("read", path, errno);
  return file;
}

std::uint64_t size_hint(std::FILE* file, const std::string& path) {
  struct stat info {};
  if (fstat(fileno(file), &info) != 0) fail("read", path, errno);
  if (S_ISDIR(info.st_mode)) fail("read", path, EISDIR);
  return S_ISREG(info.st_mode) ? static_cast<std::uint64_t>(info.st_size) : 0;
}

void read_all(std::FILE* file, const std::string& path,
              const std::function<void(std::span<const char>)>& take) {
  std::vector<char> piece(piece_bytes);
  while (true) {
    const auto count = std::fread(piece.data(), 1, piece.size(), file);
    if (count != 0) take({piece.data(), count});
    if (count == piece.size()) continue;
    if (std::ferror(file) != 0) fail("read", path, errno);
    return;
  }
}

void require_writable(const std::string& path) {
  if (const auto info = look_at(path)) {
    if (S_ISDIR(info->st_mode)) fail("write", path, EISDIR);
    if (access(path.c_str(), W_OK) != 0) fail("write", path, errno);
    return;
  }
  if (!is_absent(path)) return;
  if (access(folder_of(path).c_str(), W_OK | X_OK) != 0) fail("write", path, errno);
}

output_file::output_file(const std::string& path) : path_(path) {
  const auto older = look_at(path);
  const bool is_regular =
      older ? S_ISREG(older->st_mode) && own_descriptor(*older) < 0 : is_absent(path);
  if (is_regular && open_beside(without_links(path), older ? &*older : nullptr)) return;
  const int descriptor = open_in_place(older ? &*older : nullptr);
  if (descriptor >= 0) file_.reset(fdopen(descriptor, "wb"));
  if (!file_) workloads::fail("write", path_, errno);
}

// False means that only the file itself can be written.
bool output_file::open_beside(const std::string& target, const struct stat* older) {
  const mode_t mode = older != nullptr ? older->st_mode & 07777U : 0666U;
  std::string beside;
  int descriptor = -1;
  // A process of the same number, which was killed or is another system's, may have left some.
  constexpr int most_names = 100;
  for (int n = 0; n < most_names && descriptor < 0; ++n) {
    beside = n == 0 ? fmt::format("{}.{}.part", target, getpid())
                    : fmt::format("{}.{}-{}.part", target, getpid(), n);
    if (beside.size() >= sizeof unfinished_name) return false;
    descriptor = open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (descriptor < 0 && errno != EEXIST) break;
  }
  if (descriptor < 0) {
    const int error = errno;
    if (only_refuses_another_name(error)) return false;
    workloads::fail("write", path_, error);
  }
  std::memcpy(unfinished_name, beside.c_str(), beside.size() + 1);
  has_unfinished.store(true, std::memory_order_release);  // for a handler, maybe on another thread
  target_ = target;
  beside_ = beside;
  file_.reset(fdopen(descriptor, "wb"));
  if (older != nullptr) {
    // The owner is set first, because changing it clears bits of the mode. A user who may not give
    // a file away remains its owner.
    (void)!fchown(descriptor, older->st_uid, older->st_gid);
    (void)!fchmod(descriptor, mode);
  }
  return true;
}

int output_file::open_in_place(const struct stat* older) const {
  const int own = older != nullptr ? own_descriptor(*older) : -1;
  if (own >= 0) return fcntl(own, F_DUPFD_CLOEXEC, 0);
  return open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

output_file::~output_file() {
  if (beside_.empty()) return;
  unlink(beside_.c_str());
  has_unfinished.store(false, std::memory_order_relaxed);  // late is harmless: the name is gone
}

void output_file::commit() {
  if (std::fflush(file_.get()) != 0) fail(errno);
  if (std::fclose(file_.release()) != 0) fail(errno);
  if (beside_.empty()) return;
  if (std::rename(beside_.c_str(), target_.c_str()) != 0) fail(errno);
  beside_.clear();
  has_unfinished.store(false, std::memory_order_relaxed);  // late is harmless: the name is gone
}

void output_file::fail(int error) const {
  if (error == EPIPE) throw closed_pipe();
  workloads::fail("write", path_, error);
}

void remove_unfinished_file() noexcept {
  if (has_unfinished.load(std::memory_order_acquire)) unlink(unfinished_name);
}

}  // namespace heist::workloads
