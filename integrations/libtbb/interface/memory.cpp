// Memory for allocators: from tbbmalloc if it can be loaded, as in the original, else from the
// system.
#include <dlfcn.h>

#include <cstdlib>
#include <new>

#include "heist/detail/sanitizers.hpp"
#include "parts/abi.hpp"

namespace heist::inline v0::libtbb {

namespace {

constexpr std::size_t line_bytes = 128;

struct allocator {
  void* (*allocate)(std::size_t) = &std::malloc;
  void (*free)(void*) = &std::free;
  void* (*allocate_aligned)(std::size_t, std::size_t) = [](std::size_t bytes,
                                                           std::size_t alignment) {
    void* memory = nullptr;
    return ::posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
  };
  void (*free_aligned)(void*) = &std::free;
  bool is_tbbmalloc = false;

  // The sanitizers know the system's allocator only.
  allocator() noexcept {
    if (HEIST_ASAN || HEIST_TSAN) return;
    void* const library = ::dlopen("libtbbmalloc.so.2", RTLD_NOW);
    if (library == nullptr) return;
    void* const f[] = {::dlsym(library, "scalable_malloc"), ::dlsym(library, "scalable_free"),
                       ::dlsym(library, "scalable_aligned_malloc"),
                       ::dlsym(library, "scalable_aligned_free")};
    for (void* one : f)
      if (one == nullptr) return;
    allocate = reinterpret_cast<void* (*)(std::size_t)>(f[0]);
    free = reinterpret_cast<void (*)(void*)>(f[1]);
    allocate_aligned = reinterpret_cast<void* (*)(std::size_t, std::size_t)>(f[2]);
    free_aligned = reinterpret_cast<void (*)(void*)>(f[3]);
    is_tbbmalloc = true;
  }
};

const allocator& memory() noexcept {
  static const allocator one;
  return one;
}

}  // namespace

}  // namespace heist::inline v0::libtbb

namespace tbb::detail::r1 {

using heist::libtbb::line_bytes;
using heist::libtbb::memory;

void* allocate_memory(std::size_t bytes) {
  void* const result = memory().allocate(bytes);
  if (result == nullptr) throw_exception(exception_id::bad_alloc);
  return result;
}
void deallocate_memory(void* p) {
  if (p != nullptr) memory().free(p);
}

void* cache_aligned_allocate(std::size_t bytes) {
  if (bytes + line_bytes < bytes) throw_exception(exception_id::bad_alloc);
  void* const result = memory().allocate_aligned(bytes == 0 ? line_bytes : bytes, line_bytes);
  if (result == nullptr) throw_exception(exception_id::bad_alloc);
  return result;
}
void cache_aligned_deallocate(void* p) {
  if (p != nullptr) memory().free_aligned(p);
}

std::size_t cache_line_size() { return line_bytes; }
bool is_tbbmalloc_used() { return memory().is_tbbmalloc; }

}  // namespace tbb::detail::r1
