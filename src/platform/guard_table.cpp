// The table behind guard_table.hpp. A handler may have interrupted anything, a registration
// included, so it takes no lock and waits for nobody; neither does anybody else.
//
// It is an array that only grows, in chunks of 64, 128, 256 ... slots that are never freed or moved
// (32,000 stacks, as many as Linux gives by default, fill 9 of them: 1 MB). Freed slots go to a
// list. A look-up walks every slot ever used: at most 32,000 loads, once, in a process about to
// die.
//
// Who writes what:
//   chunks       the one that finds one missing, once (compare-and-swap)
//   used         registering threads, only upwards
//   free_slots   every thread, by compare-and-swap under a tag: a slot that was taken and given
//                back in between has another tag, so there is no ABA
//   a slot       the thread that took it from the list, until it gives it back
//
// Invariants:
//   1. While a fiber runs on a stack, that stack's slot doesn't change: who registers it hands it
//      over, with their own release and acquire, to who runs on it, and unregisters after the last
//      switch. So the faulting thread finds its own stack.
//   2. Slots of other stacks may change during a look-up; a mixture of two registrations is a wrong
//      match only for an address in neither stack's memory: in a process that dies of it anyway.
#include "guard_table.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

namespace heist::inline v0::platform {

namespace {

struct guard_slot {
  std::atomic<std::uintptr_t> low{0};       // the guard's lowest address; 0: slot not in use
  std::atomic<std::size_t> guard{0};        // its length in bytes
  std::atomic<std::size_t> size{0};         // the stack's, for the message
  std::atomic<std::uint32_t> next_free{0};  // while it is free: the next free one's number
};

// Slots are numbered from 1; 0 is "none". A packed word: a tag that changes with every exchange, a
// number. Aligned as a whole, or clang calls libatomic for it.
struct alignas(8) list_head {
  std::uint32_t tag;
  std::uint32_t first;
};

constexpr std::size_t first_chunk_slots = 64;
constexpr std::size_t chunk_count = 24;  // 64 * (2^24 - 1) slots, a billion
constexpr std::size_t slot_limit = first_chunk_slots * ((std::size_t{1} << chunk_count) - 1);

constinit std::array<std::atomic<guard_slot*>, chunk_count> chunks{};
constinit std::atomic<std::uint32_t> used{0};
constinit std::atomic<list_head> free_slots{list_head{0, 0}};
static_assert(std::atomic<list_head>::is_always_lock_free);

struct slot_place {
  std::size_t chunk;
  std::size_t index;
};

slot_place place_of(std::uint32_t number) noexcept {
  const std::size_t zero_based = number - 1;
  const std::size_t chunk =
      static_cast<std::size_t>(std::bit_width(zero_based / first_chunk_slots + 1)) - 1;
  return {chunk, zero_based - first_chunk_slots * ((std::size_t{1} << chunk) - 1)};
}

// A slot below `used`, whose chunk is there.
guard_slot& slot_at(std::uint32_t number) noexcept {
  const slot_place place = place_of(number);
  // Acquire: partner is the exchange in ensure_chunk, which publishes the zeroed slots.
  return chunks[place.chunk].load(std::memory_order_acquire)[place.index];
}

bool ensure_chunk(std::size_t number) noexcept {
  std::atomic<guard_slot*>& place = chunks[number];
  // Relaxed: only whether it is there; slot_at acquires before it looks inside.
  if (place.load(std::memory_order_relaxed) != nullptr) return true;
  auto* const fresh = new (std::nothrow) guard_slot[first_chunk_slots << number];
  if (fresh == nullptr) return false;
  guard_slot* none = nullptr;
  // Release: partner is the acquire in slot_at. Relaxed on failure: the other thread's is not
  // looked at.
  if (!place.compare_exchange_strong(none, fresh, std::memory_order_release,
                                     std::memory_order_relaxed)) {
    delete[] fresh;
  }
  return true;
}

// Takes a slot off the list of free ones; 0 if it is empty.
std::uint32_t take_free_slot() noexcept {
  // Acquire: partner is the release in give_slot_back, for next_free.
  list_head head = free_slots.load(std::memory_order_acquire);
  while (head.first != 0) {
    // Relaxed: stale if another thread took the slot meanwhile, and then the tag has changed.
    const std::uint32_t next = slot_at(head.first).next_free.load(std::memory_order_relaxed);
    // Acquire on both: as above, for the next round and for what the slot's last user wrote to it.
    if (free_slots.compare_exchange_weak(head, {head.tag + 1, next}, std::memory_order_acquire,
                                         std::memory_order_acquire)) {
      return head.first;
    }
  }
  return 0;
}

void give_slot_back(std::uint32_t number) noexcept {
  guard_slot& slot = slot_at(number);
  list_head head = free_slots.load(std::memory_order_relaxed);  // stale is safe: compared below
  do {
    slot.next_free.store(head.first, std::memory_order_relaxed);  // published by the exchange
    // Release: partner is the acquire in take_free_slot.
  } while (!free_slots.compare_exchange_weak(head, {head.tag + 1, number},
                                             std::memory_order_release, std::memory_order_relaxed));
}

// Takes a slot that was never used; 0 if memory is refused.
std::uint32_t take_new_slot() noexcept {
  std::uint32_t count = used.load(std::memory_order_relaxed);  // stale is safe: compared below
  do {
    if (count == slot_limit || !ensure_chunk(place_of(count + 1).chunk)) return 0;
    // Release: partner is the acquire in stack_with_guard_at; who sees the count finds the chunk.
    // Relaxed on failure: compared again.
  } while (!used.compare_exchange_weak(count, count + 1, std::memory_order_release,
                                       std::memory_order_relaxed));
  return count + 1;
}

}  // namespace

constinit const guard_table_layout guards_in_memory = {&chunks,
                                                       &used,
                                                       first_chunk_slots,
                                                       sizeof(guard_slot),
                                                       offsetof(guard_slot, low),
                                                       offsetof(guard_slot, guard),
                                                       offsetof(guard_slot, size)};

guard_handle register_guard(const stack_memory& stack) noexcept {
  std::uint32_t number = take_free_slot();
  if (number == 0) number = take_new_slot();
  if (number == 0) return {};
  guard_slot& slot = slot_at(number);
  // Relaxed: published by the release below.
  slot.guard.store(stack.guard, std::memory_order_relaxed);
  slot.size.store(stack.size, std::memory_order_relaxed);
  // Release: partner is the acquire in stack_with_guard_at.
  slot.low.store(reinterpret_cast<std::uintptr_t>(stack.base) - stack.guard,
                 std::memory_order_release);
  return {number};
}

void unregister_guard(guard_handle handle) noexcept {
  if (handle.slot == 0) return;
  // Relaxed: a handler that still sees the old address is invariant 2's case.
  slot_at(handle.slot).low.store(0, std::memory_order_relaxed);
  give_slot_back(handle.slot);
}

std::size_t stack_with_guard_at(const void* where) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(where);
  // Acquire: partner is the release in take_new_slot. A stale count misses slots taken since, none
  // of which is this thread's (invariant 1).
  const std::uint32_t count = used.load(std::memory_order_acquire);
  for (std::uint32_t number = 1; number <= count; ++number) {
    const guard_slot& slot = slot_at(number);
    // Acquire: partner is the release in register_guard, for guard and size.
    const std::uintptr_t low = slot.low.load(std::memory_order_acquire);
    if (low == 0 || address < low) continue;
    // Relaxed: ordered by the acquire; a later registration's value is invariant 2's case.
    if (address - low < slot.guard.load(std::memory_order_relaxed)) {
      return slot.size.load(std::memory_order_relaxed);
    }
  }
  return 0;
}

}  // namespace heist::inline v0::platform
