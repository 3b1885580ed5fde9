// What heist and libheist-check.so (src/checker) know of each other. The library is preloaded, by
// `heist check`, and sees what a thread locks and in which calls it blocks; a worker tells it when
// it forks, spawns and waits (HEIST_CHECK=locks and block:TIME).
#pragma once

#include <cstdint>

namespace heist::inline v0::detail {

struct check_library {
  // The calling thread runs functions of a pool from now on. A blocking call that lasts longer is
  // reported; 0: none is. Returns what end() takes.
  unsigned (*begin)(std::uint64_t longest_block_ns);
  // It doesn't any more.
  void (*end)(unsigned begun);
  // The caller is about to fork, spawn or wait, as the text says: reports the locks that it holds.
  void (*look)(const char* construct);
};

// The name of the table, a check_library.
inline constexpr const char* check_library_name = "heist_v0_check_library";

// While this lives the calling thread is a worker's. Nothing without a library.
class checked_thread {
 public:
  checked_thread(const check_library* library, std::uint64_t longest_block_ns) noexcept
      : library_(library), begun_(library == nullptr ? 0 : library->begin(longest_block_ns)) {}
  ~checked_thread() {
    if (library_ != nullptr) library_->end(begun_);
  }
  checked_thread(const checked_thread&) = delete;
  checked_thread& operator=(const checked_thread&) = delete;

 private:
  const check_library* const library_;
  const unsigned begun_;
};

}  // namespace heist::inline v0::detail
