#include "runtime/stack_pool.hpp"

namespace heist::inline v0::detail {

stack_pool::~stack_pool() {
  while (free_ != nullptr) {
    fiber* const f = free_;
    free_ = f->next;
    destroy_fiber(f);
  }
}

fiber* stack_pool::get() noexcept {
  {
    const std::lock_guard hold(mutex_);
    if (fiber* const f = free_) {
      free_ = f->next;
      return f;
    }
  }
  return make();
}

fiber* stack_pool::make() noexcept {
  fiber* const f = make_fiber(pool_, stack_size_, slots_);
  if (f != nullptr) mapped_.fetch_add(1, std::memory_order_relaxed);  // a number for reports
  return f;
}

void stack_pool::put(fiber& f) noexcept {
  const std::lock_guard hold(mutex_);
  f.next = free_;
  free_ = &f;
}

}  // namespace heist::inline v0::detail
