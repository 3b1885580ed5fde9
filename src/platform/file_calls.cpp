#include "platform/file_calls.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

#include "platform/stack_memory.hpp"

namespace heist::inline v0::platform {

namespace {

// -1: the file is none of this process's outputs.
int own_descriptor(const char* path) noexcept {
  struct stat file {};
  if (::stat(path, &file) != 0) return -1;
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat own {};
    if (::fstat(descriptor, &own) == 0 && own.st_dev == file.st_dev && own.st_ino == file.st_ino)
      return descriptor;
  }
  return -1;
}

}  // namespace

long process_number() noexcept { return ::getpid(); }

std::FILE* create_file(const char* path) noexcept { return std::fopen(path, "wxe"); }

// Opening an output again would overwrite what was printed, where it is a file.
std::FILE* open_in_place(const char* path) noexcept {
  const int own = own_descriptor(path);
  if (own < 0) return std::fopen(path, "we");
  const int descriptor = ::fcntl(own, F_DUPFD_CLOEXEC, 0);
  return descriptor < 0 ? nullptr : ::fdopen(descriptor, "w");
}

bool is_own_output(const char* path) noexcept { return own_descriptor(path) >= 0; }

bool write_to_disk(std::FILE* file) noexcept {
  return std::fflush(file) == 0 && ::fsync(::fileno(file)) == 0;
}

int create_growing_file(const char* path) noexcept {
  constexpr mode_t readable = 0666;
  return ::open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, readable);
}

bool reserve_in_file(int file, std::uint64_t at, std::uint64_t bytes) noexcept {
  // Beyond the limit of a file's size the system sends a signal that ends the process.
  rlimit most{};
  if (::getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY &&
      at + bytes > most.rlim_cur) {
    errno = EFBIG;
    return false;
  }
#if defined(__linux__)
  const int error = ::posix_fallocate(file, static_cast<off_t>(at), static_cast<off_t>(bytes));
  errno = error;
  return error == 0;
#else
  return ::ftruncate(file, static_cast<off_t>(at + bytes)) == 0;
#endif
}

namespace {

// What lies before `at` on its page.
std::size_t before_on_page(std::uint64_t at) noexcept {
  return static_cast<std::size_t>(at % page_bytes());
}

}  // namespace

void* map_part_of_file(int file, std::uint64_t at, std::size_t bytes) noexcept {
  const std::size_t before = before_on_page(at);
#if defined(MAP_POPULATE)
  constexpr int flags = MAP_SHARED | MAP_POPULATE;  // all pages at once are cheaper than one by one
#else
  constexpr int flags = MAP_SHARED;
#endif
  void* const pages = ::mmap(nullptr, bytes + before, PROT_READ | PROT_WRITE, flags, file,
                             static_cast<off_t>(at - before));
  if (pages == MAP_FAILED) return nullptr;
#if defined(MADV_DONTFORK)
  static_cast<void>(::madvise(pages, bytes + before, MADV_DONTFORK));
#endif
  return static_cast<char*>(pages) + before;
}

void unmap_part_of_file(void* part, std::size_t bytes) noexcept {
  const std::size_t before = before_on_page(reinterpret_cast<std::uintptr_t>(part));
  ::munmap(static_cast<char*>(part) - before, bytes + before);
}

bool read_from_file(int file, std::uint64_t at, void* to, std::size_t bytes) noexcept {
  auto* place = static_cast<char*>(to);
  while (bytes != 0) {
    const ssize_t got = ::pread(file, place, bytes, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = EIO;
    if (got <= 0) return false;
    place += got;
    at += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

bool write_to_file(int file, std::uint64_t at, const void* from, std::size_t bytes) noexcept {
  const ssize_t done = ::pwrite(file, from, bytes, static_cast<off_t>(at));
  if (done >= 0 && static_cast<std::size_t>(done) != bytes) errno = ENOSPC;
  return done >= 0 && static_cast<std::size_t>(done) == bytes;
}

bool shorten_file(int file, std::uint64_t bytes) noexcept {
  return ::ftruncate(file, static_cast<off_t>(bytes)) == 0;
}

void close_growing_file(int file) noexcept { ::close(file); }

bool replace_file(const char* from, const char* to) noexcept { return std::rename(from, to) == 0; }

}  // namespace heist::inline v0::platform
