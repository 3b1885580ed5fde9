// Memory for allocators: from tbbmalloc if it can be loaded, as in the original, else from the
// system.
#include <dlfcn.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <new>
#include <span>

#include "heist/detail/sanitizers.hpp"
#include "parts/abi.hpp"
#include "parts/constraints.hpp"

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

namespace libtbb = heist::libtbb;
using libtbb::line_bytes;
using libtbb::memory;

namespace {

constexpr unsigned most_nodes = 1024;
using node_mask = std::array<unsigned long, most_nodes / 64>;

// oneTBB's node k is the kernel's k-th, whose numbers may have holes.
node_mask chosen_of(const node_mask& allowed, std::span<const int> nodes) {
  node_mask chosen{};
  int k = 0;
  for (unsigned node = 0; node < most_nodes; ++node) {
    const unsigned long bit = 1ul << node % 64;
    if ((allowed[node / 64] & bit) == 0) continue;
    if (std::ranges::count(nodes, k++) != 0) chosen[node / 64] |= bit;
  }
  return chosen;
}

}  // namespace

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

// Whole pages, which the kernel deals out to the named nodes in turns, or to all if none is named;
// a chunk is a page. Null for wrong arguments and where the kernel refuses.
void* allocate_interleaved(std::size_t bytes, const int* nodes, std::size_t count, std::size_t) {
  if (bytes == 0 || (nodes == nullptr && count != 0)) return nullptr;
  const auto known = libtbb::numa_nodes();
  if (!std::all_of(nodes, nodes + count, [&](int k) { return std::ranges::count(known, k) != 0; }))
    return nullptr;
  void* const got =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) return nullptr;
  // A wish: the memory is as good where the kernel has no nodes.
  node_mask allowed{};
  if (::syscall(SYS_get_mempolicy, nullptr, allowed.data(), most_nodes, nullptr,
                MPOL_F_MEMS_ALLOWED) == 0) {
    const bool is_any = count == 0 || known.front() < 0;  // nobody knows which there are
    const node_mask asked = is_any ? allowed : chosen_of(allowed, {nodes, count});
    static_cast<void>(
        ::syscall(SYS_mbind, got, bytes, MPOL_INTERLEAVE, asked.data(), most_nodes, 0));
  }
  return got;
}
void deallocate_interleaved(void* p, std::size_t bytes) {
  if (p != nullptr) ::munmap(p, bytes);
}

std::size_t cache_line_size() { return line_bytes; }
bool is_tbbmalloc_used() { return memory().is_tbbmalloc; }

}  // namespace tbb::detail::r1
