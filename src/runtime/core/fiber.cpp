#include "runtime/core/fiber.hpp"

#include <cstring>
#include <new>
#include <utility>

#include "platform/context.hpp"
#include "runtime/notes.hpp"

#if HEIST_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace heist::inline v0::detail {

namespace {

std::size_t round_up(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }

constexpr std::size_t header_bytes = 512;
// A function's frame that is smaller can't jump over it, into another fiber's stack.
constexpr std::size_t guard_bytes = std::size_t{1} << 20;
static_assert(sizeof(fiber) <= header_bytes && header_bytes % alignof(job) == 0);

}  // namespace

fiber* make_fiber(pool_impl& pool, fiber::entry begin, std::size_t stack_size,
                  std::size_t slots) noexcept {
  const std::size_t above = header_bytes + slots * sizeof(job);
  const std::size_t usable = round_up(stack_size, platform::page_bytes());
  const auto memory = platform::allocate_stack(usable + above, guard_bytes);
  if (!memory) return nullptr;
  std::byte* const header = memory->base + usable;
  auto* f = ::new (static_cast<void*>(header)) fiber;
  f->stack = *memory;
  // The overflow handler's message names what the user can change: the stack without the slots.
  f->guard = platform::register_guard({memory->base, usable, memory->guard});
  f->slots = reinterpret_cast<char*>(header + header_bytes);
  f->pool = &pool;
  f->begin = begin;
  f->asan_bottom = memory->base;
  f->asan_size = usable;
#if HEIST_TSAN
  f->tsan_context = __tsan_create_fiber(0);
#endif
  rewind(*f);
  return f;
}

void destroy_fiber(fiber* f) noexcept {
  take_over(*f);
#if HEIST_TSAN
  __tsan_destroy_fiber(f->tsan_context);
#endif
  platform::unregister_guard(f->guard);
  if (f->measured != nullptr) notes::fiber_is_destroyed(f->measured);
  const platform::stack_memory memory = f->stack;
  f->~fiber();
#if HEIST_ASAN
  __asan_unpoison_memory_region(memory.base, memory.size);
#endif
  platform::release_stack(memory);
}

void rewind(fiber& f) noexcept {
  take_over(f);
#if HEIST_ASAN
  // The frames that were abandoned on it left their red zones.
  auto* const low = static_cast<std::byte*>(f.sp == nullptr ? &f : f.sp);
  __asan_unpoison_memory_region(low,
                                static_cast<std::size_t>(reinterpret_cast<std::byte*>(&f) - low));
#endif
  __atomic_store_n(&f.sp,
                   platform::make_context(reinterpret_cast<std::byte*>(&f), f.stack.base, f.begin),
                   __ATOMIC_RELAXED);
#if HEIST_TSAN
  // ThreadSanitizer counts the abandoned frames as still open, and has room for 64 Ki of them.
  if (++f.tsan_rewinds == 1000) {
    __tsan_destroy_fiber(f.tsan_context);
    f.tsan_context = __tsan_create_fiber(0);
    f.tsan_rewinds = 0;
  }
#endif
  f.depth = 0;
  f.home = nullptr;
  f.stalls = 0;
  f.priority = 0;
  f.exceptions = {};
  f.array = &f;
  f.from = 0;
  f.adopted = false;
  f.older = nullptr;
  f.task.main = nullptr;
  f.task.scope = nullptr;
  f.awaits = {wait_kind::none};
  f.ends = nullptr;
#if HEIST_ASAN
  f.asan_fake_stack = nullptr;
#endif
  hand_over(f);
}

void trim(fiber& f) noexcept {
  take_over(f);
  const auto above = static_cast<std::size_t>(f.stack.top() - reinterpret_cast<std::byte*>(&f));
  platform::trim_stack(f.stack, above + 4 * platform::page_bytes());
}

}  // namespace heist::inline v0::detail
