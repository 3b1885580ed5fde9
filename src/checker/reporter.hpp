// Says on stderr what was found, once for each pair of places. A thread of its own looks up the
// names of places, which takes more stack than a fiber has to have.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "checker/flow.hpp"

namespace heist::inline v0::checker {

class reporter {
 public:
  // After so many the others are counted.
  static constexpr std::size_t most_reports = 100;

  struct finding {
    const volatile void* lock;  // nullptr: a call that blocked
    const char* what;           // the lock's kind, or the call
    call_chain locked;
    const char* construct;
    call_chain at;
    std::uint64_t ns;  // how long it blocked
    bool goes_on;      // it still does
  };

  static reporter& instance() noexcept;

  // Thread-safe, all of these; the caller has to be `apart`.
  void follow(flow& f, std::uint64_t longest_block_ns) noexcept;
  void forget(flow& f) noexcept;
  void add(const finding& f) noexcept;
  // At the program's end: says what hasn't been said.
  void finish() noexcept;

 private:
  void lock() noexcept;
  void unlock() noexcept;
  [[noreturn]] void run() noexcept;
  bool look_at_blocks() noexcept;
  void say_all(std::unique_lock<std::mutex>& hold) noexcept;
  [[nodiscard]] static std::string text_of(const finding& f);
  std::unordered_set<std::string> said_;  // the one that says something has set is_saying_

  std::mutex flows_mutex_;  // taken before any flow's guard, and those before mutex_
  flow* flows_ = nullptr;   // guarded by it, as are the next two
  bool looks_at_blocks_ = false;
  int process_ = 0;  // that has the thread

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<finding> waiting_;             // guarded by mutex_, as is all that follows
  std::unordered_set<std::uint64_t> known_;  // pairs of places
  std::uint64_t unsaid_ = 0;
  bool is_saying_ = false;
};

}  // namespace heist::inline v0::checker
