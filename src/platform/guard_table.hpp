// Which addresses are the guards of fibers' stacks: asked by the fault handler (overflow.hpp), kept
// up by the one that maps and unmaps stacks. Lock-free, for any number of threads; protocol in
// guard_table.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "stack_memory.hpp"

namespace heist::inline v0::platform {

// A registered guard; to be given back. Value 0 is "none": the table could not grow, and this stack
// has no message.
struct guard_handle {
  std::uint32_t slot = 0;
};

// Makes the guard of `stack` known to the handler, from any thread, lock-free. Costs a
// compare-and-swap or two.
[[nodiscard]] guard_handle register_guard(const stack_memory& stack) noexcept;

// Forgets it; before the stack is released. A handle of 0 is ignored.
void unregister_guard(guard_handle handle) noexcept;

// The usable size in bytes of the stack whose registered guard holds `where`; 0 if there is none.
// Async-signal-safe.
[[nodiscard]] std::size_t stack_with_guard_at(const void* where) noexcept;

// Where the table lies in memory, for debuggers (src/observe/checks/debug_layout.cpp). Chunk k has
// first_chunk_slots << k slots.
struct guard_table_layout {
  const void* chunks;  // pointers to them
  const void* used;    // 32 bits: how many slots have ever been used
  std::size_t first_chunk_slots;
  std::size_t slot_bytes;
  std::size_t low_at;  // offsets within a slot
  std::size_t guard_at;
  std::size_t size_at;
};
extern const guard_table_layout guards_in_memory;

}  // namespace heist::inline v0::platform
