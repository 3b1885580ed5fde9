#include "parts/parking.hpp"

namespace heist::inline v0::libtbb {

parking& parking::instance() noexcept {
  static parking* const one = new parking;  // never destroyed: threads may sleep at the end
  return *one;
}

void parking::announce(sleeper& s) noexcept {
  const std::lock_guard held(lock_);
  s.next = first_;
  s.previous = nullptr;
  if (first_ != nullptr) first_->previous = &s;
  first_ = &s;
  count_.fetch_add(1, std::memory_order_seq_cst);
}

// Under the lock.
void parking::take_out(sleeper& s) noexcept {
  if (s.previous != nullptr)
    s.previous->next = s.next;
  else
    first_ = s.next;
  if (s.next != nullptr) s.next->previous = s.previous;
  count_.fetch_sub(1, std::memory_order_relaxed);  // relaxed: one look more at worst
}

std::uint32_t parking::sleep(sleeper& s) noexcept {
  std::uint32_t how = 0;
  // Acquire: partner in wake_if().
  while ((how = s.word.load(std::memory_order_acquire)) == 0) platform::futex_wait(s.word, 0);
  // Its waker has the lock until it is done with the sleeper.
  const std::lock_guard held(lock_);
  return how;
}

std::uint32_t parking::nap(sleeper& s, std::chrono::microseconds longest) noexcept {
  // A return for no reason makes it shorter.
  platform::futex_wait_for(s.word, 0, longest);
  return retract(s);
}

std::uint32_t parking::retract(sleeper& s) noexcept {
  const std::lock_guard held(lock_);
  const std::uint32_t how = s.word.load(std::memory_order_relaxed);  // relaxed: under the lock
  if (how == 0) take_out(s);
  return how;
}

template <class Test>
void parking::wake_if(Test test, std::uint32_t how) noexcept {
  if (!any()) return;
  const std::lock_guard held(lock_);
  for (sleeper *s = first_, *next = nullptr; s != nullptr; s = next) {
    next = s->next;
    if (!test(*s)) continue;
    take_out(*s);
    s->word.store(how, std::memory_order_release);  // partner in sleep()
    platform::futex_wake(s->word, 1);
  }
}

void parking::wake_one_in(work_arena& a) noexcept {
  bool has_woken = false;
  wake_if(
      [&](const sleeper& s) {
        return !has_woken && s.where == &a && s.who != nullptr && !s.is_napping &&
               (has_woken = true);
      },
      sleeper::woken_for_work);
}

void parking::wake_nappers_in(work_arena& a) noexcept {
  wake_if([&](const sleeper& s) { return s.where == &a && s.is_napping; });
}

void parking::wake_those_that_wait_for(const void* address) noexcept {
  wake_if([&](const sleeper& s) { return s.waits_for == address; });
}

void parking::wake(participant& p) noexcept {
  wake_if([&](const sleeper& s) { return s.who == &p; });
}

void parking::wake_all_in(work_arena& a) noexcept {
  wake_if([&](const sleeper& s) { return s.where == &a; });
}

void parking::wake_all() noexcept {
  wake_if([](const sleeper&) { return true; });
}

}  // namespace heist::inline v0::libtbb
