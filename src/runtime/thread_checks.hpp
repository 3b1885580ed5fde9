// HEIST_CHECK=locks and block:TIME: a worker tells libheist-check.so (src/checker), which sees what
// the thread locks and in which calls it blocks, when it forks, spawns and waits.
#pragma once

#include "runtime/check_library.hpp"
#include "runtime/environment.hpp"
#include "runtime/worker.hpp"

namespace heist::inline v0::detail {

// The library, where it is wanted; else nullptr. Throws usage_error if it is wanted and hasn't been
// loaded.
[[nodiscard]] const check_library* check_library_for(const check_settings& wanted);

// While this lives the calling thread is that worker's.
class checked_thread {
 public:
  explicit checked_thread(const worker& w) noexcept;
  ~checked_thread();
  checked_thread(const checked_thread&) = delete;
  checked_thread& operator=(const checked_thread&) = delete;

 private:
  const check_library* const library_;
  unsigned begun_ = 0;
};

// To be called by a worker with checks_locks, before it does what the text says.
void look_at_locks(const worker& w, const char* construct) noexcept;

}  // namespace heist::inline v0::detail
