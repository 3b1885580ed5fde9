// What a thread that runs functions of a pool holds, and in which call it blocks.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace heist::inline v0::checker {

// Addresses in the functions that were called, the innermost first. Enough to reach the program's
// own through the standard library's and heist's, unoptimised.
class call_chain {
 public:
  static constexpr unsigned longest = 24;

  // The caller's, without `skipped` frames and its own.
  [[gnu::noinline]] static call_chain here(unsigned skipped) noexcept;

  [[nodiscard]] const std::uintptr_t* begin() const noexcept { return addresses_.data(); }
  [[nodiscard]] const std::uintptr_t* end() const noexcept { return addresses_.data() + count_; }

  // The same for the same place in the program.
  [[nodiscard]] std::uint64_t hash() const noexcept {
    std::uint64_t h = 14695981039346656037u;  // FNV-1a
    for (const std::uintptr_t a : *this) h = (h ^ a) * 1099511628211u;
    return h;
  }

 private:
  std::array<std::uintptr_t, longest> addresses_{};
  unsigned count_ = 0;
};

// Who acts: the thread itself, except for `call` and what belongs to it, which the reporter looks
// at.
class flow {
 public:
  constexpr flow() noexcept = default;
  flow(const flow&) = delete;
  flow& operator=(const flow&) = delete;

  static flow& current() noexcept { return of_thread; }

  // As check_library says.
  unsigned begin(std::uint64_t longest_block_ns) noexcept;
  void end(unsigned begun) noexcept;
  void look(const char* construct) noexcept;

  // Of a lock that isn't heist's; `kind` names it: "std::mutex". Not while it isn't a worker.
  void acquired(const volatile void* lock, const char* kind) noexcept;
  void released(const volatile void* lock) noexcept;

  // Around a call that may block.
  void block(const char* call) noexcept;
  void unblock() noexcept;
  // For the reporter: reports a call that has lasted for that long and hasn't been reported.
  void look_at_block(std::uint64_t least_ns) noexcept;

  flow* next = nullptr;  // of the list of all, which the reporter guards

  // While it reports: what the report locks is its own.
  class apart {
   public:
    explicit apart(flow& of) noexcept : flow_(of) { ++flow_.apart_; }
    ~apart() { --flow_.apart_; }
    apart(const apart&) = delete;
    apart& operator=(const apart&) = delete;

   private:
    flow& flow_;
  };

 private:
  struct held {
    const volatile void* lock = nullptr;
    const char* kind = nullptr;
    call_chain where{};
    bool is_told = false;  // by then the fiber that holds it may go on elsewhere
  };
  static constexpr unsigned most_held = 16;

  [[nodiscard]] bool notes() const noexcept { return is_worker_ && apart_ == 0; }
  void report_block(std::uint64_t ns, bool goes_on) noexcept;

  bool is_worker_ = false;
  unsigned apart_ = 0;
  unsigned first_ = 0;  // locks below it were held before the thread became a worker
  unsigned count_ = 0;
  std::array<held, most_held> held_{};

  std::uint64_t longest_block_ns_ = 0;
  std::atomic_flag guard_;  // of what follows
  const char* call_ = nullptr;
  std::uint64_t since_ns_ = 0;
  call_chain blocked_at_;
  bool is_reported_ = false;

  // Without a destructor: what a thread destroys at its end may lock and unlock.
  static thread_local flow of_thread;
};

}  // namespace heist::inline v0::checker
