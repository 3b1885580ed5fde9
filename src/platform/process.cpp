// See process.hpp.
//
// Who writes what:
//   mark         the loader's thread, once; the kernel, which clears it in a child; the first
//                thread of the child that looks
//   generation   the one that takes the mark from cleared to counting
//
// Everything here is set up when the library is loaded, before anybody can fork while a pool is
// being made: glibc calls the handlers that were registered before the fork began, and no others.
#include "platform/process.hpp"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string_view>

#include "platform/program.hpp"
#include "platform/stack_memory.hpp"

namespace heist::inline v0::platform {

namespace {

enum mark_state : std::uint32_t { cleared = 0, counting = 1, counted = 2 };

using mark_word = std::atomic<std::uint32_t>;

constinit std::atomic<unsigned> generation{0};
// Where the kernel can't clear a page for us, only the handler counts.
constinit mark_word never_cleared{counted};
constinit mark_word* mark = &never_cleared;  // constant once the library is loaded

void count_this_process() noexcept {
  std::uint32_t seen = cleared;
  // Acquire and release: partner is the load in process_generation().
  if (mark->compare_exchange_strong(seen, counting, std::memory_order_acquire,
                                    std::memory_order_acquire)) {
    generation.fetch_add(1, std::memory_order_relaxed);  // published by the store below
    mark->store(counted, std::memory_order_release);
    return;
  }
  // Two threads of a young child: the other one is between the two lines above.
  while (mark->load(std::memory_order_acquire) != counted) {
  }
}

// In the child of fork(). Relaxed: there is one thread.
void on_fork() noexcept {
  if (mark == &never_cleared)
    generation.fetch_add(1, std::memory_order_relaxed);
  else
    static_cast<void>(process_generation());
}

[[gnu::constructor]] void watch_for_forks() noexcept {
  const std::size_t bytes = page_bytes();
  void* const page =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page != MAP_FAILED) {
    if (::madvise(page, bytes, MADV_WIPEONFORK) == 0)
      mark = ::new (page) mark_word(counted);
    else
      ::munmap(page, bytes);
  }
  // Refused only if there is no memory for the entry; then the page serves.
  call_in_forked_child(&on_fork);
}

}  // namespace

unsigned process_generation() noexcept {
  // Acquire: partner is the release in count_this_process().
  if (mark->load(std::memory_order_acquire) != counted) count_this_process();
  return generation.load(std::memory_order_relaxed);
}

void call_in_forked_child(void (*f)()) noexcept {
  static_cast<void>(::pthread_atfork(nullptr, nullptr, f));
}

const char* environment_variable(const char* name) noexcept { return ::secure_getenv(name); }

// No lock of ours is held while the loader's is waited for. Several threads may do this at once.
void keep_code_loaded() noexcept {
  static constinit std::atomic<bool> is_kept{false};  // relaxed: a hint that nothing is left to do
  if (is_kept.load(std::memory_order_relaxed)) return;
  Dl_info here{};
  // For the program itself there is no handle, and it needs none.
  if (::dladdr(reinterpret_cast<void*>(&keep_code_loaded), &here) != 0 && here.dli_fname != nullptr)
    static_cast<void>(::dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE));
  is_kept.store(true, std::memory_order_relaxed);
}

}  // namespace heist::inline v0::platform

// ---- program.hpp

namespace heist::inline v0::platform {

std::string program_name() { return ::program_invocation_short_name; }

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  constexpr std::string_view separator = ": ";
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    if (const auto colon = line.find(separator); colon != std::string::npos)
      return line.substr(colon + separator.size());
  }
  utsname names{};
  return ::uname(&names) == 0 ? names.machine : "unknown processor";
}

loaded_place find_loaded_place(const void* object) {
  Dl_info found{};
  if (::dladdr(object, &found) == 0 || found.dli_fname == nullptr) return {};
  loaded_place place;
  if (found.dli_sname != nullptr && found.dli_saddr == object) place.symbol = found.dli_sname;
  place.file = found.dli_fname;
  place.offset = static_cast<std::size_t>(static_cast<const char*>(object) -
                                          static_cast<const char*>(found.dli_fbase));
  return place;
}

const void* find_exported(const char* name) noexcept { return ::dlsym(RTLD_DEFAULT, name); }

}  // namespace heist::inline v0::platform
