#include "runtime/core/stack_pool.hpp"

#include "runtime/core/live_pools.hpp"
#include "runtime/core/pool_impl.hpp"

namespace heist::inline v0::detail {

stack_pool::~stack_pool() {
  while (free_ != nullptr) {
    fiber* const f = free_;
    free_ = f->next;
    destroy_fiber(f);
  }
}

// Under mutex_.
fiber* stack_pool::pop() noexcept {
  fiber* const f = free_;
  if (f == nullptr) return nullptr;
  free_ = f->next;
  free_count_.store(free_count_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  return f;
}

fiber* stack_pool::get() noexcept {
  {
    const std::lock_guard hold(mutex_);
    if (fiber* const f = pop()) return f;
  }
  return make();
}

namespace {

// What other pools of the process have mapped in vain. False: nothing.
bool take_from_other_pools(const pool_impl& own) noexcept {
  std::size_t released = 0;
  live_pools::for_each([&](pool_impl& other) {
    if (&other != &own && released == 0) released = other.stacks().release_some(0);
  });
  return released != 0;
}

}  // namespace

fiber* stack_pool::make() noexcept {
  fiber* f = make_fiber(pool_, begin_, stack_size_, slots_);
  while (f == nullptr && take_from_other_pools(pool_))
    f = make_fiber(pool_, begin_, stack_size_, slots_);
  if (f != nullptr) mapped_.fetch_add(1, std::memory_order_relaxed);  // a number for reports
  return f;
}

void stack_pool::put(fiber& f) noexcept {
  const std::lock_guard hold(mutex_);
  f.next = free_;
  free_ = &f;
  free_count_.store(free_count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

std::size_t stack_pool::release_some(std::size_t kept) noexcept {
  constexpr std::size_t at_once = 64;
  std::size_t released = 0;
  for (; released < at_once; ++released) {
    fiber* f = nullptr;
    {
      const std::lock_guard hold(mutex_);
      if (has_more_than(kept)) f = pop();
    }
    if (f == nullptr) break;
    destroy_fiber(f);
  }
  mapped_.fetch_sub(released, std::memory_order_relaxed);
  return released;
}

}  // namespace heist::inline v0::detail
