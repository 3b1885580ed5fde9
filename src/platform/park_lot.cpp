// park.hpp for systems whose kernels can't choose which sleepers to wake, or don't say how many
// they woke: each sleeper sleeps on a word of its own (word_wait.hpp), and a table knows who sleeps
// where.
//
// A wait compares under the lock of its word's bucket and puts itself into the bucket's list; a
// wake takes that lock after the word was changed. So either the wait sees the new value, or the
// wake finds it in the list.
//
// Who writes what:
//   bucket::lock    any thread, in hold and its end
//   bucket::first   the holder of the lock, as all links of the list
//   sleeper::woken  the holder of the lock, once; when it is set, the sleeper is in no list, and
//                   may return and take its memory away: the wake then goes to an address only
//
// A child of fork() finds no other thread alive: a bucket that another process has used is empty,
// and a lock that another process holds doesn't count.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <thread>

#include "platform/cpu.hpp"
#include "platform/park.hpp"
#include "platform/process.hpp"
#include "platform/word_wait.hpp"

namespace heist::inline v0::platform {

namespace {

constexpr std::size_t bucket_count = 256;  // more than the words that programs sleep on at a time
constexpr int spins_before_yield = 50;

struct sleeper {
  const park_word* word;
  park_bits bits;
  sleeper* next = nullptr;
  park_word woken{0};
};

struct alignas(cache_line_bytes) bucket {
  std::atomic<std::uint32_t> lock{0};  // 0: free; else the generation of the holder's process, + 1
  unsigned generation = 0;             // of the process that uses the list
  sleeper* first = nullptr;            // in the order of arrival
};

constinit std::array<bucket, bucket_count> buckets{};

bucket& bucket_of(const park_word& word) noexcept {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U;  // Fibonacci hashing
  const std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(&word) * golden;
  return buckets[mixed >> 56U];
}
static_assert(bucket_count == 1U << (64U - 56U));

class hold {
 public:
  explicit hold(bucket& b) noexcept : bucket_(b) {
    const unsigned now = process_generation();
    std::uint32_t seen = 0;
    // Acquire: partner is the release in the destructor. Relaxed on failure: it is compared again.
    for (int turn = 0; !b.lock.compare_exchange_weak(seen, now + 1, std::memory_order_acquire,
                                                     std::memory_order_relaxed);
         ++turn) {
      if (seen == now + 1) {
        seen = 0;
        if (turn < spins_before_yield)
          pause();
        else
          std::this_thread::yield();
      }
    }
    if (b.generation != now) b.first = nullptr;
    b.generation = now;
  }
  ~hold() { bucket_.lock.store(0, std::memory_order_release); }
  hold(const hold&) = delete;
  hold& operator=(const hold&) = delete;

 private:
  bucket& bucket_;
};

void append(bucket& b, sleeper& s) noexcept {
  sleeper** place = &b.first;
  while (*place != nullptr) place = &(*place)->next;
  *place = &s;
}

// False: somebody has woken it already.
bool take_out(bucket& b, sleeper& s) noexcept {
  for (sleeper** place = &b.first; *place != nullptr; place = &(*place)->next) {
    if (*place != &s) continue;
    *place = s.next;
    return true;
  }
  return false;
}

using moment = std::chrono::steady_clock::time_point;

// False when the deadline has passed.
bool wait(park_word& word, std::uint32_t expected, park_bits bits,
          std::optional<moment> deadline) noexcept {
  bucket& b = bucket_of(word);
  sleeper me{&word, bits};
  {
    const hold locked(b);
    // Relaxed: the lock orders it behind the change of the one that has woken before.
    if (word.load(std::memory_order_relaxed) != expected) return true;
    append(b, me);
  }
  // Acquire: partner is the release in wake. It is what makes the sleeper's memory its own again.
  while (me.woken.load(std::memory_order_acquire) == 0) {
    std::optional<std::chrono::nanoseconds> left;
    if (deadline) {
      left = *deadline - std::chrono::steady_clock::now();
      if (*left <= left->zero()) {
        const hold locked(b);
        return !take_out(b, me);
      }
    }
    wait_on_word(me.woken, 0, left);
  }
  return true;
}

}  // namespace

void futex_wait(park_word& word, std::uint32_t expected, park_bits bits) noexcept {
  wait(word, expected, bits, std::nullopt);
}

bool futex_wait_for(park_word& word, std::uint32_t expected, std::chrono::nanoseconds timeout,
                    park_bits bits) noexcept {
  if (timeout <= timeout.zero()) return false;
  const moment now = std::chrono::steady_clock::now();
  const bool fits = timeout < moment::max() - now;
  return wait(word, expected, bits, fits ? std::optional(now + timeout) : std::nullopt);
}

int futex_wake(park_word& word, int count, park_bits bits) noexcept {
  bucket& b = bucket_of(word);
  int woken = 0;
  const hold locked(b);
  for (sleeper** place = &b.first; *place != nullptr && woken < count;) {
    sleeper& s = **place;
    if (s.word != &word || (s.bits & bits) == 0) {
      place = &s.next;
      continue;
    }
    *place = s.next;
    park_word* const address = &s.woken;
    s.woken.store(1, std::memory_order_release);  // partner: the acquire in wait
    wake_word(address);
    ++woken;
  }
  return woken;
}

}  // namespace heist::inline v0::platform
