// Parking a thread on a word of memory, and waking it: the futex, and nothing on top of it.
//
// A wait compares and sleeps in one step inside the kernel, so a wake that follows a change of the
// word is never lost: either the waiter sees the new value and doesn't sleep, or it sleeps already
// and is woken. Everything else (who is parked, who needs waking, in which order) is the protocol
// of the caller. std::atomic::wait is not used: it has no time-out, and its implementations spin
// and share waiter tables as they like.
//
// The futexes are private to the process: the kernel hashes the address without taking the lock on
// the address space.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace heist::inline v0::platform {

using park_word = std::atomic<std::uint32_t>;
static_assert(sizeof(park_word) == 4 && park_word::is_always_lock_free,
              "the kernel looks at exactly these four bytes");

// Which waiters a wake is meant for: those that have a bit in common with it.
using park_bits = std::uint32_t;
inline constexpr park_bits any_waiter = ~park_bits{0};

// Sleeps while `word` holds `expected`. May return for no reason (a signal, a wake meant for an
// earlier user of the address): callers loop on their own condition. Gives no ordering: after it,
// load what was published with acquire.
void futex_wait(park_word& word, std::uint32_t expected, park_bits bits = any_waiter) noexcept;

// The same, for at most `timeout` (monotonic clock; zero or less returns at once). False when the
// time ran out, true for every other reason, the spurious ones included.
bool futex_wait_for(park_word& word, std::uint32_t expected, std::chrono::nanoseconds timeout,
                    park_bits bits = any_waiter) noexcept;

// Wakes up to `count` threads that wait on `word` with one of `bits`; returns how many. Costs a
// system call even if nobody waits, so callers know whether somebody does. The memory of `word` may
// be gone by the time of the call (a waiter left and destroyed it): the kernel then wakes nobody,
// or somebody spuriously.
int futex_wake(park_word& word, int count, park_bits bits = any_waiter) noexcept;

}  // namespace heist::inline v0::platform
