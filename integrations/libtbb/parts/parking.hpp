// Where threads sleep that wait for tasks or for work, and how they are woken.
//
// A thread that waits inside an arena sleeps until its wait has ended, there is work in its arena,
// or a stack of its own may go on. One that has found only crumbs to steal naps (dispatch.cpp). All
// sleepers of the process are in one list: they are few, and seldom there. The one that is about to
// sleep announces itself first and looks once more at what it waits for; the one that changes that
// looks at the number of sleepers after it, both in one total order. So one of the two sees the
// other.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

#include "platform/park.hpp"

namespace heist::inline v0::libtbb {

class work_arena;
struct participant;

struct sleeper {
  static constexpr std::uint32_t woken = 1;
  static constexpr std::uint32_t woken_for_work = 2;

  platform::park_word word{0};  // how it was woken; 0: it was not
  const void* waits_for;        // the address of a wait_context, or nullptr
  work_arena* where;
  participant* who;
  bool is_napping = false;  // it is not woken for what lies in deques
  sleeper* previous = nullptr;
  sleeper* next = nullptr;
};

class parking {
 public:
  static parking& instance() noexcept;

  // seq_cst: before the look that follows.
  void announce(sleeper& s) noexcept;
  // Sleeps until somebody has woken it, and returns how. It is out of the list then.
  std::uint32_t sleep(sleeper& s) noexcept;
  // The same for a limited time, or shorter; 0: nobody has woken it. Out of the list, too.
  std::uint32_t nap(sleeper& s, std::chrono::microseconds longest) noexcept;
  // The look has found something. Returns how somebody has woken it in the meantime; 0: nobody has.
  std::uint32_t retract(sleeper& s) noexcept;

  // One that sleeps in a seat of that arena, for work.
  void wake_one_in(work_arena& a) noexcept;
  void wake_nappers_in(work_arena& a) noexcept;
  void wake_those_that_wait_for(const void* address) noexcept;
  void wake(participant& p) noexcept;
  void wake_all_in(work_arena& a) noexcept;
  void wake_all() noexcept;

  // seq_cst: after the change that the caller has made.
  [[nodiscard]] bool any() const noexcept { return count_.load(std::memory_order_seq_cst) != 0; }

 private:
  template <class Test>
  void wake_if(Test test, std::uint32_t how = sleeper::woken) noexcept;
  void take_out(sleeper& s) noexcept;

  std::mutex lock_;
  sleeper* first_ = nullptr;
  std::atomic<unsigned> count_{0};
};

}  // namespace heist::inline v0::libtbb
