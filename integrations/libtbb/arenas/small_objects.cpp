#include "arenas/small_objects.hpp"

#include <mutex>
#include <new>
#include <utility>

#include "arenas/participant.hpp"
#include "heist/detail/short_lock.hpp"
#include "parts/mailbox.hpp"

namespace heist::inline v0::libtbb {

namespace {

// Pools whose threads have ended. Chunks are never freed: their blocks may be anywhere.
constinit detail::short_lock unowned_lock;
constinit small_objects* unowned = nullptr;

constexpr std::align_val_t block_alignment{128};

}  // namespace

small_objects* small_objects::acquire() {
  {
    const std::lock_guard held(unowned_lock);
    if (unowned != nullptr) return std::exchange(unowned, unowned->next_);
  }
  return new small_objects;
}

void small_objects::release(small_objects* pool) noexcept {
  const std::lock_guard held(unowned_lock);
  pool->next_ = std::exchange(unowned, pool);
}

void* small_objects::allocate_large(std::size_t bytes) {
  return ::operator new(bytes, block_alignment);
}

void small_objects::deallocate_large(void* memory) noexcept {
  ::operator delete(memory, block_alignment);
}

void small_objects::give_back(void* memory, std::size_t bytes) noexcept {
  if (bytes > largest) return deallocate_large(memory);
  auto* const b = static_cast<block*>(memory);
  b->list = list_of(bytes);
  b->next = returned_.load(std::memory_order_relaxed);
  // Release: partner in sort_returned(). The user's last writes come before the block's next use.
  while (!returned_.compare_exchange_weak(b->next, b, std::memory_order_release,
                                          std::memory_order_relaxed)) {
  }
}

void small_objects::sort_returned() noexcept {
  // Relaxed: a hint. Acquire: partner in give_back().
  if (returned_.load(std::memory_order_relaxed) == nullptr) return;
  block* b = returned_.exchange(nullptr, std::memory_order_acquire);
  while (b != nullptr) {
    block* const next = b->next;
    block*& list = free_[b->list];
    b->next = list;
    list = b;
    b = next;
  }
}

// Not inlined: a thread's list is empty seldom.
void* small_objects::refill(std::size_t list) {
  sort_returned();
  if (block* const b = free_[list]; b != nullptr) {
    free_[list] = b->next;
    return b;
  }
  const std::size_t bytes = (list + 1) * unit;
  if (static_cast<std::size_t>(chunk_end_ - chunk_) < bytes) {
    // What is left of the old chunk becomes blocks of its size.
    if (chunk_ != chunk_end_) deallocate(chunk_, static_cast<std::size_t>(chunk_end_ - chunk_));
    chunk_ = static_cast<std::byte*>(::operator new(chunk_bytes, block_alignment));
    chunk_end_ = chunk_ + chunk_bytes;
  }
  return std::exchange(chunk_, chunk_ + bytes);
}

// ---- Proxies, which another thread may free than the one that made them.

task_proxy& task_proxy::make(task& t, d1::slot_id preferred) {
  small_objects& own = *self().memory;
  return *new (own.allocate(sizeof(task_proxy))) task_proxy(t, preferred, own);
}

void task_proxy::free(task_proxy* p) noexcept {
  small_objects& pool = p->memory;
  const participant* const me = current_participant;
  if (me != nullptr && me->memory == &pool)
    pool.deallocate(p, sizeof(task_proxy));
  else
    pool.give_back(p, sizeof(task_proxy));
}

}  // namespace heist::inline v0::libtbb

namespace tbb::detail::r1 {

using heist::libtbb::self;
using heist::libtbb::small_objects;

void* allocate(d1::small_object_pool*& pool, std::size_t bytes) {
  small_objects* const own = self().memory;
  pool = own;
  return own->allocate(bytes);
}

void* allocate(d1::small_object_pool*& pool, std::size_t bytes, const d1::execution_data&) {
  return allocate(pool, bytes);
}

void deallocate(d1::small_object_pool& pool, void* memory, std::size_t bytes) {
  auto& owner = static_cast<small_objects&>(pool);
  if (&owner == self().memory)
    owner.deallocate(memory, bytes);
  else
    owner.give_back(memory, bytes);
}

void deallocate(d1::small_object_pool& pool, void* memory, std::size_t bytes,
                const d1::execution_data&) {
  deallocate(pool, memory, bytes);
}

}  // namespace tbb::detail::r1
