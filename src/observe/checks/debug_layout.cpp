#include "observe/checks/debug_layout.hpp"

#include <cstddef>

#include "observe/checks/wait_report.hpp"
#include "platform/guard_table.hpp"
#include "runtime/core/live_pools.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/core/worker.hpp"

// The classes have base classes; with every compiler that heist supports offsetof is right for them
// as long as those aren't virtual.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

namespace heist::inline v0::detail {

struct debug_access {
#if defined(__GLIBCXX__)
  static constexpr std::uint64_t strings_begin_with_their_address = 1;
#else
  static constexpr std::uint64_t strings_begin_with_their_address = 0;
#endif
  static constexpr std::uint64_t live = offsetof(pool_impl, live_);
  static constexpr std::uint64_t name = offsetof(pool_impl, config_) + offsetof(pool_config, name);
  static constexpr std::uint64_t workers = offsetof(pool_impl, workers_);
  static constexpr std::uint64_t guests = offsetof(pool_impl, guests_);
  static constexpr const void* first_pool() noexcept { return &live_pools::first_; }
};

constinit const debug_word debug_layout[debug_layout_words] = {
    {.number = debug_layout_magic},
    {.number = debug_layout_version},
    {.address = debug_access::first_pool()},
    {.number = offsetof(live_pools::entry, next)},
    {.number = debug_access::live},
    {.number = debug_access::name},
    {.number = debug_access::strings_begin_with_their_address},
    {.number = debug_access::workers},
    {.number = debug_access::guests},
    {.number = offsetof(worker, index)},
    {.number = offsetof(worker, tid)},
    {.number = offsetof(worker, doing)},
    {.number = offsetof(worker, current)},
    {.number = offsetof(fiber, sp)},
    {.number = offsetof(fiber, pool)},
    {.number = offsetof(fiber, awaits) + offsetof(awaited, kind)},
    {.number = offsetof(fiber, awaits) + offsetof(awaited, is_timed)},
    {.number = offsetof(fiber, awaits) + offsetof(awaited, object)},
    {.number = offsetof(fiber, awaited_state)},
    {.number = offsetof(fiber, ends)},
    {.number = offsetof(fiber, task) + offsetof(spawned, scope)},
    {.number = offsetof(fiber, task) + offsetof(spawned, spawner)},
    {.address = wait_texts},
    {.number = wait_kinds},
    {.number = static_cast<std::uint64_t>(wait_kind::mutex)},  // from here on there is an object
    {.address = &platform::guards_in_memory},
    {.number = offsetof(platform::guard_table_layout, chunks)},
    {.number = offsetof(platform::guard_table_layout, used)},
    {.number = offsetof(platform::guard_table_layout, first_chunk_slots)},
    {.number = offsetof(platform::guard_table_layout, slot_bytes)},
    {.number = offsetof(platform::guard_table_layout, low_at)},
    {.number = offsetof(platform::guard_table_layout, guard_at)},
    {.number = offsetof(platform::guard_table_layout, size_at)},
    {.number = rendezvous::done | rendezvous::threw << 8},
};

}  // namespace heist::inline v0::detail
