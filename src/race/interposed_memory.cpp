// What stands before the C library's memory functions: memory that is handed out is fresh, and what
// is copied is read and written. And operator new, so that an allocation has the place in the
// program where it is made.
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include <dlfcn.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "race/detector.hpp"
#include "race/exported.hpp"
#include "race/last_reference.hpp"

extern "C" {
// glibc's own, under names that nobody stands before.
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

namespace heist::inline v0::race {
namespace {

void* handed_out(void* p, std::uintptr_t by) noexcept {
  if (p != nullptr && !last_reference::is_elsewhere()) {
    const int before = errno;
    detector::instance().is_allocated(p, ::malloc_usable_size(p), by);
    errno = before;
  }
  return p;
}

void take_back(void* p, std::uintptr_t by) noexcept {
  if (p == nullptr) return;
  if (away <= 0) detector::instance().is_freed(p, ::malloc_usable_size(p), by);
  detector::instance().forget_allocation(p);
  last_reference::freed(number(p), ::malloc_usable_size(p));
}

void touch(const void* p, std::size_t n, bool writes, std::uintptr_t by) noexcept {
  if (away <= 0 && n != 0) detector::instance().touch_range(number(p), n, by, writes);
}

void* new_or_throw(std::size_t n, std::size_t alignment, std::uintptr_t by) {
  for (;;) {
    void* const p =
        alignment == 0 ? __libc_malloc(n == 0 ? 1 : n) : __libc_memalign(alignment, n == 0 ? 1 : n);
    if (p != nullptr) return handed_out(p, by);
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void* new_or_null(std::size_t n, std::size_t alignment, std::uintptr_t by) noexcept {
  try {
    return new_or_throw(n, alignment, by);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void free_for(void* p, std::uintptr_t by) noexcept {
  take_back(p, by);
  __libc_free(p);
}

}  // namespace
}  // namespace heist::inline v0::race

namespace race = heist::race;

HEIST_EXPORTED void* malloc(std::size_t n) {
  return race::handed_out(__libc_malloc(n), HEIST_CALLER);
}
HEIST_EXPORTED void* calloc(std::size_t n, std::size_t each) {
  return race::handed_out(__libc_calloc(n, each), HEIST_CALLER);
}
HEIST_EXPORTED void* realloc(void* p, std::size_t n) {
  race::take_back(p, HEIST_CALLER);
  return race::handed_out(__libc_realloc(p, n), HEIST_CALLER);
}
HEIST_EXPORTED void* memalign(std::size_t alignment, std::size_t n) {
  return race::handed_out(__libc_memalign(alignment, n), HEIST_CALLER);
}
HEIST_EXPORTED void* aligned_alloc(std::size_t alignment, std::size_t n) {
  return race::handed_out(__libc_memalign(alignment, n), HEIST_CALLER);
}
HEIST_EXPORTED int posix_memalign(void** to, std::size_t alignment, std::size_t n) {
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0)
    return EINVAL;
  const int before = errno;
  void* const p = __libc_memalign(alignment, n);
  errno = before;
  if (p == nullptr) return ENOMEM;
  *to = race::handed_out(p, HEIST_CALLER);
  return 0;
}
HEIST_EXPORTED void free(void* p) { race::free_for(p, HEIST_CALLER); }

#define HEIST_OPERATOR [[gnu::visibility("default")]]
#define HEIST_ALIGNMENT static_cast<std::size_t>(alignment)
HEIST_OPERATOR void* operator new(std::size_t n) { return race::new_or_throw(n, 0, HEIST_CALLER); }
HEIST_OPERATOR void* operator new[](std::size_t n) {
  return race::new_or_throw(n, 0, HEIST_CALLER);
}
HEIST_OPERATOR void* operator new(std::size_t n, std::align_val_t alignment) {
  return race::new_or_throw(n, HEIST_ALIGNMENT, HEIST_CALLER);
}
HEIST_OPERATOR void* operator new[](std::size_t n, std::align_val_t alignment) {
  return race::new_or_throw(n, HEIST_ALIGNMENT, HEIST_CALLER);
}
HEIST_OPERATOR void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
  return race::new_or_null(n, 0, HEIST_CALLER);
}
HEIST_OPERATOR void* operator new[](std::size_t n, const std::nothrow_t&) noexcept {
  return race::new_or_null(n, 0, HEIST_CALLER);
}
HEIST_OPERATOR void* operator new(std::size_t n, std::align_val_t alignment,
                                  const std::nothrow_t&) noexcept {
  return race::new_or_null(n, HEIST_ALIGNMENT, HEIST_CALLER);
}
HEIST_OPERATOR void* operator new[](std::size_t n, std::align_val_t alignment,
                                    const std::nothrow_t&) noexcept {
  return race::new_or_null(n, HEIST_ALIGNMENT, HEIST_CALLER);
}
#define HEIST_DELETE(...)                                                                        \
  HEIST_OPERATOR void operator delete(__VA_ARGS__) noexcept { race::free_for(p, HEIST_CALLER); } \
  HEIST_OPERATOR void operator delete[](__VA_ARGS__) noexcept { race::free_for(p, HEIST_CALLER); }
HEIST_DELETE(void* p)
HEIST_DELETE(void* p, std::size_t)
HEIST_DELETE(void* p, std::align_val_t)
HEIST_DELETE(void* p, std::size_t, std::align_val_t)
HEIST_DELETE(void* p, const std::nothrow_t&)
HEIST_DELETE(void* p, std::align_val_t, const std::nothrow_t&)

HEIST_EXPORTED void* mmap(void* at, std::size_t n, int protection, int flags, int file,
                          off_t offset) {
  void* const p =
      reinterpret_cast<void*>(::syscall(SYS_mmap, at, n, protection, flags, file, offset));
  if (p != MAP_FAILED && !race::last_reference::is_elsewhere())
    race::detector::instance().is_fresh(race::number(p), n);
  return p;
}

// ---- Copies and strings. The loops are not to become calls of these very functions.

#if defined(__clang__)
#define HEIST_LOOPS [[gnu::noinline]]
#else
#define HEIST_LOOPS [[gnu::optimize("no-tree-loop-distribute-patterns")]]
#endif

HEIST_LOOPS static void* copy(void* to, const void* from, std::size_t n, std::uintptr_t by) {
  race::touch(from, n, false, by);
  race::touch(to, n, true, by);
  auto* t = static_cast<unsigned char*>(to);
  const auto* f = static_cast<const unsigned char*>(from);
#if defined(__x86_64__)
  if (race::number(t) - race::number(f) >= n) {
    asm volatile("rep movsb" : "+D"(t), "+S"(f), "+c"(n) : : "memory");
    return to;
  }
#endif
  if (t <= f) {
    for (std::size_t i = 0; i < n; ++i) {
      t[i] = f[i];
      asm volatile("" ::: "memory");
    }
  } else {
    for (std::size_t i = n; i != 0; --i) {
      t[i - 1] = f[i - 1];
      asm volatile("" ::: "memory");
    }
  }
  return to;
}
HEIST_EXPORTED void* memmove(void* to, const void* from, std::size_t n) {
  return copy(to, from, n, HEIST_CALLER);
}
HEIST_EXPORTED void* memcpy(void* to, const void* from, std::size_t n) {
  return copy(to, from, n, HEIST_CALLER);
}
// Clang's names, for what it would otherwise inline.
HEIST_EXPORTED void* __tsan_memcpy(void* to, const void* from, std::size_t n) {
  return copy(to, from, n, HEIST_CALLER);
}
HEIST_EXPORTED void* __tsan_memmove(void* to, const void* from, std::size_t n) {
  return copy(to, from, n, HEIST_CALLER);
}

HEIST_LOOPS static void* fill(void* to, int value, std::size_t n, std::uintptr_t by) {
  race::touch(to, n, true, by);
  auto* t = static_cast<unsigned char*>(to);
#if defined(__x86_64__)
  asm volatile("rep stosb" : "+D"(t), "+c"(n) : "a"(value) : "memory");
#else
  for (std::size_t i = 0; i < n; ++i) {
    t[i] = static_cast<unsigned char>(value);
    asm volatile("" ::: "memory");
  }
#endif
  return to;
}
HEIST_EXPORTED void* memset(void* to, int value, std::size_t n) {
  return fill(to, value, n, HEIST_CALLER);
}
HEIST_EXPORTED void* __tsan_memset(void* to, int value, std::size_t n) {
  return fill(to, value, n, HEIST_CALLER);
}
HEIST_EXPORTED HEIST_LOOPS int memcmp(const void* a, const void* b, std::size_t n) {
  const auto* x = static_cast<const unsigned char*>(a);
  const auto* y = static_cast<const unsigned char*>(b);
  std::size_t i = 0;
  while (i < n && x[i] == y[i]) ++i;
  const std::size_t read = i < n ? i + 1 : n;
  race::touch(a, read, false, HEIST_CALLER);
  race::touch(b, read, false, HEIST_CALLER);
  return i < n ? x[i] - y[i] : 0;
}
HEIST_EXPORTED HEIST_LOOPS std::size_t strlen(const char* text) {
  std::size_t n = 0;
  while (text[n] != '\0') {
    asm volatile("" ::: "memory");
    ++n;
  }
  race::touch(text, n + 1, false, HEIST_CALLER);
  return n;
}
HEIST_EXPORTED HEIST_LOOPS int strcmp(const char* a, const char* b) {
  std::size_t i = 0;
  while (a[i] != '\0' && a[i] == b[i]) ++i;
  race::touch(a, i + 1, false, HEIST_CALLER);
  race::touch(b, i + 1, false, HEIST_CALLER);
  return static_cast<unsigned char>(a[i]) - static_cast<unsigned char>(b[i]);
}
HEIST_EXPORTED HEIST_LOOPS char* strcpy(char* to, const char* from) {
  std::size_t n = 0;
  for (; from[n] != '\0'; ++n) to[n] = from[n];
  to[n] = '\0';
  race::touch(from, n + 1, false, HEIST_CALLER);
  race::touch(to, n + 1, true, HEIST_CALLER);
  return to;
}
