#include "tests/faults/allocations.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>

// glibc's own functions, under the names that it exports for this purpose.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t n, std::size_t size);
void* __libc_realloc(void* p, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* p);
}

namespace {

constinit std::atomic<long> left{0};  // counts down; at 1 an allocation is refused
constinit std::atomic<bool> refused{false};
constinit std::atomic<bool> only_new{false};
constinit std::atomic<long> in_use{0};

bool refuses(bool is_new) noexcept {
  if (only_new.load(std::memory_order_relaxed) != is_new ||
      left.load(std::memory_order_relaxed) <= 0 ||
      left.fetch_sub(1, std::memory_order_relaxed) != 1)
    return false;
  refused.store(true, std::memory_order_relaxed);
  errno = ENOMEM;
  return true;
}

void* counted(void* p) noexcept {
  if (p != nullptr) in_use.fetch_add(1, std::memory_order_relaxed);
  return p;
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) { return refuses(false) ? nullptr : counted(__libc_malloc(size)); }

void* calloc(std::size_t n, std::size_t size) {
  return refuses(false) ? nullptr : counted(__libc_calloc(n, size));
}

void* realloc(void* p, std::size_t size) {
  if (p == nullptr) return malloc(size);
  if (refuses(false)) return nullptr;
  void* const moved = __libc_realloc(p, size);
  if (moved == nullptr && size == 0) in_use.fetch_sub(1, std::memory_order_relaxed);
  return moved;
}

void* memalign(std::size_t alignment, std::size_t size) {
  return refuses(false) ? nullptr : counted(__libc_memalign(alignment, size));
}

void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }

int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  void* const p = memalign(alignment, size);
  if (p == nullptr) return ENOMEM;
  *result = p;
  return 0;
}

void free(void* p) {
  if (p == nullptr) return;
  in_use.fetch_sub(1, std::memory_order_relaxed);
  __libc_free(p);
}

}  // extern "C"

// This is not inlined, because g++ warns of free() if it sees that the memory came from new.
[[gnu::noinline]] void* operator new(std::size_t size) {
  void* const p = refuses(true) ? nullptr : std::malloc(size);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  void* const p =
      refuses(true) ? nullptr : std::aligned_alloc(static_cast<std::size_t>(alignment), size);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  std::free(p);
}

namespace heist_test::allocations {

void refuse_at(long n) noexcept {
  only_new.store(false);
  refused.store(false);
  left.store(n);
}
void refuse_new_at(long n) noexcept {
  refuse_at(0);
  only_new.store(true);
  left.store(n);
}
bool was_refused() noexcept {
  left.store(0);
  return refused.load();
}
long alive() noexcept { return in_use.load(); }

}  // namespace heist_test::allocations
