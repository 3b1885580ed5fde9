// A worker's seat: it is taken by the worker's own thread, by nobody while that thread sleeps, or
// by a thread from outside (a guest), which then works in place of the one that sleeps.
//
//   own --owner, about to wait--> vacant --owner, woken--> own
//                                 vacant --guest--> guest --guest, done--> vacant
//                    guest --owner, woken--> awaited --guest, done--> vacant; the owner is woken
//
// A pool therefore never has more threads at work than workers, and a guest is one of them. Seats
// that callers have of their own come on top where the pool's maker wants some: they are vacant or
// a guest's, and belong to no thread.
//
// Invariants.
//   G1  While a seat is a guest's, its thread is not counted as a sleeper: the guest took one off
//       the count when it had the seat, and counts one again before it gives the seat back. So S3
//       and S5 (sleepers.hpp) hold of the threads in vacant seats.
//   G2  A thread that is woken while a guest has its seat takes no token. It may have been woken
//       for one, so it passes the wake-up on (S5), and waits for its seat.
//   G3  Other threads look at a guest's deque, which lies in the guest's thread, only between pin()
//       and unpin(); a guest that leaves closes the deque and waits until nobody is in between.
//
// Who writes what. state_: as above. pins_: thieves. open_: the guest.
//
// The Seam is that of sleepers.hpp: tests/model runs this very code on other atomics.
#pragma once

#include <atomic>
#include <cstdint>

#include "heist/detail/invariant.hpp"
#include "platform/cpu.hpp"
#include "platform/park.hpp"

namespace heist::inline v0::detail {

template <class Seam>
class basic_seat {
 public:
  // ---- The worker's own thread.

  // A guest may take it from now on. Release: partner is the acquire in claim(); carries what the
  // thread keeps in the worker.
  void vacate() noexcept { state_.store(vacant, std::memory_order_release); }

  // False: a guest has it. Acquire: partner is the release in give_back().
  [[nodiscard]] bool take_back() noexcept {
    std::uint32_t found = vacant;
    return state_.compare_exchange_strong(found, own, std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }

  // After take_back() has failed: returns when the guest is gone, or another one has come.
  void await_guest() noexcept {
    std::uint32_t found = guest;
    // Relaxed: the word carries nothing to the guest; take_back() acquires.
    if (state_.compare_exchange_strong(found, awaited, std::memory_order_relaxed,
                                       std::memory_order_relaxed) ||
        found == awaited)
      Seam::futex_wait(state_, awaited, platform::any_waiter);
  }

  // ---- A guest.

  // Relaxed: a hint.
  [[nodiscard]] bool looks_vacant() const noexcept {
    return state_.load(std::memory_order_relaxed) == vacant;
  }
  // Acquire: partners are the releases in vacate() and give_back().
  [[nodiscard]] bool claim() noexcept {
    std::uint32_t found = vacant;
    return state_.compare_exchange_strong(found, guest, std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }
  // Release: partners are the acquires in take_back() and claim(); carries what the guest leaves in
  // the worker.
  void give_back() noexcept {
    const std::uint32_t before = state_.exchange(vacant, std::memory_order_release);
    HEIST_INVARIANT("seat.hpp G1", before == guest || before == awaited);
    if (before == awaited) Seam::futex_wake_one(state_, platform::any_waiter);
  }

 private:
  enum : std::uint32_t { own, vacant, guest, awaited };

  typename Seam::template atomic<std::uint32_t> state_{own};
};

// What a guest shows to thieves: a pointer, and how many of them are using it.
template <class Seam, class T>
class basic_guest_door {
 public:
  // ---- The guest.

  // seq_cst, with the fence: partner is the fence in sleepers::announce. A thread that is about to
  // sleep sees this deque and asks it, or the guest's next look at the count sees the sleeper.
  void open(T& shown) noexcept {
    shown_.store(&shown, std::memory_order_seq_cst);
    Seam::full_fence();
  }
  // Returns when nobody uses it any more. seq_cst, both: partners are those in pin(). Either the
  // thief sees that the door is closed, or this sees the thief.
  template <class Pause>
  void close(Pause&& pause) noexcept {
    shown_.store(nullptr, std::memory_order_seq_cst);
    while (pins_.load(std::memory_order_seq_cst) != 0) pause();
  }

  // ---- Others.

  // Relaxed: a hint.
  [[nodiscard]] bool looks_open() const noexcept {
    return shown_.load(std::memory_order_relaxed) != nullptr;
  }
  // nullptr if it is closed. To be followed by unpin() in either case.
  [[nodiscard]] T* pin() noexcept {
    pins_.fetch_add(1, std::memory_order_seq_cst);
    return shown_.load(std::memory_order_seq_cst);
  }
  // Release: partner is the load in close(); the last access.
  void unpin() noexcept { pins_.fetch_sub(1, std::memory_order_release); }

 private:
  typename Seam::template atomic<T*> shown_{nullptr};
  // On another line: many look whether it is open, and take no line from those who pin it.
  alignas(platform::cache_line_bytes) typename Seam::template atomic<std::uint32_t> pins_{0};
};

}  // namespace heist::inline v0::detail
