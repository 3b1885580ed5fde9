// Which workers sleep, and how they are woken without a lost wake-up.
//
// An unstolen push has no fence, and still nothing may be left behind while everybody sleeps:
//
//   sleeper:  sleepers += 1; fence; every victim: limit = 0; HEAVY BARRIER;
//             every victim: look at public and private parts, and at the injection queue;
//             nothing -> wait for a token; something -> take oneself out again
//   owner:    push; light barrier; limit == 0 -> clear limit; expose; fence; sleepers > 0 -> wake
//   wake:     sleepers -= 1, tokens += 1 in one exchange; sleepers still > 0 -> limit = 0 again;
//             raise the epoch; futex_wake(1)
//
// A waker takes its sleeper off the count at once, long before that one runs: otherwise every push
// in between would wake it again. Tokens are anonymous: the one that is announced may take one,
// also one that was meant for a worker with mail (a fiber of a stalling join, which no other worker
// can run) and that has not run yet. So a sleeper looks for mail whenever it looks for a token.
//
// Invariants.
//   S1  While any worker is counted as a sleeper, every worker's limit is 0, or a wake-up is on its
//       way. (A worker that clears its limit exposes and then looks at the count.)
//   S2  A push that the sleeper's look missed came after the heavy barrier on its owner, so the
//       owner reads the limit that was written before the barrier: 0.
//   S3  sleepers + tokens = workers that have announced themselves and are neither back at work nor
//       awake with a token. So a worker that leaves the count always finds one of the two to lower.
//   S4  The epoch is read before a look for tokens and mail, and raised after each token, which is
//       made after the mail was sent: no wait misses one.
//   S5  For each token some worker looks for it, or is being woken to look. A worker that leaves
//       with mail may have been woken for a token that it doesn't take; by S6 all others are being
//       woken then.
//   S6  The one that sends mail wakes all who wait. A resident whose seat a guest has is not
//       counted, so more threads wait than are counted. It may be the one that a wake-up reaches,
//       and when the guest has left it may also take the token; then nothing would wake the thread
//       with the mail. The sender has executed a fence between the mail and the count. The receiver
//       that waits has missed the mail in its look, after its own fence, so the sender sees it
//       counted.
//   S7  An owner may leave a request unanswered only while it sees nobody counted, and it looks
//       after its push. Either a sleeper's look finds the push, or, as in S2, the owner's look
//       comes after the heavy barrier and so after the count.
//   S8  A thief that exposes an owner's items (split_control::expose) wakes nobody, and the owner,
//       which then has nothing to give, leaves the request. So a thief that takes an item and sees
//       that another one is public wakes a sleeper.
//   S9  Where every push is seen by all (any deque but the split one), nobody asks, and the owner
//       looks at the count after each push, behind a light barrier. Either the sleeper's look finds
//       the push, or, as in S2, the owner's look comes after the heavy barrier.
// The order of steps matters: the request before the count, the count after the barrier, a plain
// fence for the barrier, a look at the public part only, or the owner's look at the count before
// its fence would each lose a wake-up. What is checked, and how far: docs/memory_model.md.
//
// Who writes what. counts_, epoch_: any thread, by the operations below.
//
// The Seam is that of heist/deque/atomics.hpp, with the futex: tests/model runs this very code on
// other ones.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

#include "heist/deque/atomics.hpp"
#include "heist/detail/invariant.hpp"
#include "platform/cpu.hpp"
#include "platform/park.hpp"

namespace heist::inline v0::detail {

struct std_parking : deque::std_atomics {
  static void futex_wait(platform::park_word& word, std::uint32_t seen,
                         platform::park_bits bits) noexcept {
    platform::futex_wait(word, seen, bits);
  }
  static void futex_wait_for(platform::park_word& word, std::uint32_t seen,
                             std::chrono::nanoseconds time, platform::park_bits bits) noexcept {
    platform::futex_wait_for(word, seen, time, bits);
  }
  // Wakes one with a bit of `preferred` if such a one sleeps, else any.
  static void futex_wake_one(platform::park_word& word, platform::park_bits preferred) noexcept {
    if (platform::futex_wake(word, 1, preferred) == 0 && preferred != platform::any_waiter)
      platform::futex_wake(word, 1);
  }
  static void futex_wake_all(platform::park_word& word) noexcept {
    platform::futex_wake(word, std::numeric_limits<int>::max());
  }
};

template <class Seam>
class alignas(platform::cache_line_bytes) basic_sleepers {
 public:
  // seq_cst and a fence: before every later look, in one order with the owner's fence.
  void announce() noexcept {
    counts_.fetch_add(one_sleeper, std::memory_order_seq_cst);
    Seam::full_fence();
  }

  // The look found something.
  void retract() noexcept { leave(); }

  // The look found nothing. Returns with a token, or when mail() is true. `bits`: see wake_one().
  // `seat`: the caller's, which guests may take meanwhile (seat.hpp); nullptr: they may not.
  template <class Seat, class Mail>
  void wait(Seat* seat, Mail&& mail, platform::park_bits bits = platform::any_waiter) noexcept {
    for (;;) {
      const std::uint32_t seen = epoch_.load(std::memory_order_acquire);  // S4
      if (woken(mail)) return;
      if (seat != nullptr) seat->vacate();
      Seam::futex_wait(epoch_, seen, bits);
      sit_down(seat);
    }
  }
  // The same; false, without a token and still announced, when the time is up.
  template <class Seat, class Mail>
  bool wait_for(Seat* seat, std::chrono::nanoseconds time, Mail&& mail,
                platform::park_bits bits = platform::any_waiter) noexcept {
    const auto deadline = std::chrono::steady_clock::now() + time;
    for (;;) {
      const std::uint32_t seen = epoch_.load(std::memory_order_acquire);  // S4
      if (woken(mail)) return true;
      const auto left = deadline - std::chrono::steady_clock::now();
      if (left.count() <= 0) return false;
      if (seat != nullptr) seat->vacate();
      Seam::futex_wait_for(epoch_, seen, left, bits);
      sit_down(seat);
    }
  }

  // For a guest that has claimed the seat of a thread that waits: that thread is no sleeper any
  // more. False: all who wait are being woken. Relaxed: as in leave().
  [[nodiscard]] bool take_one_out() noexcept {
    std::uint64_t c = counts_.load(std::memory_order_relaxed);
    do {
      if (c < one_sleeper) return false;
    } while (!counts_.compare_exchange_weak(c, c - one_sleeper, std::memory_order_relaxed,
                                            std::memory_order_relaxed));
    return true;
  }

  // Relaxed: the caller has fenced after what it published (S1), or only wants a hint.
  [[nodiscard]] bool any() const noexcept {
    return counts_.load(std::memory_order_relaxed) >= one_sleeper;
  }

  // For reports. Relaxed: numbers of the moment.
  struct snapshot {
    std::uint64_t sleepers;
    std::uint64_t tokens;
  };
  [[nodiscard]] snapshot counts() const noexcept {
    const std::uint64_t c = counts_.load(std::memory_order_relaxed);
    return {c / one_sleeper, c % one_sleeper};
  }

  // Wakes one sleeper, one with a bit of `preferred` before others; false if there is none. Which
  // one it is makes no difference to the counts: tokens are anonymous. Relaxed load: as in any().
  bool wake_one(platform::park_bits preferred = platform::any_waiter) noexcept {
    std::uint64_t c = counts_.load(std::memory_order_relaxed);
    do {
      if (c < one_sleeper) return false;
      // Release: partner is the acquire in take_token(); what was published before the wake-up.
    } while (!counts_.compare_exchange_weak(c, c - one_sleeper + one_token,
                                            std::memory_order_release, std::memory_order_relaxed));
    epoch_.fetch_add(1, std::memory_order_release);  // S4; partner: the loads of epoch_
    Seam::futex_wake_one(epoch_, preferred);
    return true;
  }
  // Wakes all who wait, also a resident that is not counted since a guest has its seat (G1). A
  // wake-up for each that is counted would not do (S6). Nothing if nobody has announced itself.
  void wake_all() noexcept {
    std::uint64_t c = counts_.load(std::memory_order_relaxed);
    do {
      if (c == 0) return;
      // Release: as in wake_one().
    } while (!counts_.compare_exchange_weak(c, c / one_sleeper + c % one_sleeper,
                                            std::memory_order_release, std::memory_order_relaxed));
    epoch_.fetch_add(1, std::memory_order_release);  // S4
    Seam::futex_wake_all(epoch_);
  }

 private:
  static constexpr std::uint64_t one_token = 1;
  static constexpr std::uint64_t one_sleeper = std::uint64_t{1} << 32;

  // G2: the one that woke the caller may have meant its token for anybody.
  template <class Seat>
  void sit_down(Seat* seat) noexcept {
    if (seat == nullptr) return;
    while (!seat->take_back()) {
      Seam::futex_wake_one(epoch_, platform::any_waiter);
      seat->await_guest();
    }
  }

  template <class Mail>
  bool woken(Mail&& mail) noexcept {
    if (take_token()) return true;
    if (!mail()) return false;
    leave();
    return true;
  }

  void leave() noexcept {
    std::uint64_t c = counts_.load(std::memory_order_relaxed);
    HEIST_INVARIANT("sleepers.hpp S3", c != 0);
    // Relaxed: the numbers carry nothing else. S3: one of the two is there.
    while (!counts_.compare_exchange_weak(c, c - (c >= one_sleeper ? one_sleeper : one_token),
                                          std::memory_order_relaxed, std::memory_order_relaxed)) {
    }
  }

  bool take_token() noexcept {
    std::uint64_t c = counts_.load(std::memory_order_relaxed);
    while ((c & (one_sleeper - 1)) != 0) {
      if (counts_.compare_exchange_weak(c, c - one_token, std::memory_order_acquire,
                                        std::memory_order_relaxed))
        return true;
    }
    return false;
  }

  // Upper half: sleepers; lower half: tokens.
  typename Seam::template atomic<std::uint64_t> counts_{0};
  typename Seam::template atomic<std::uint32_t> epoch_{0};
};

using sleepers = basic_sleepers<std_parking>;

}  // namespace heist::inline v0::detail
