// Highway's sort of numbers (libhwy_contrib), which is loaded and never linked: few programs sort
// so many numbers that they need it, and loading it takes milliseconds.
//
// Who writes what. state: from idle to loading the caller that finds that it pays; from there to
// loaded or none the thread that loads, which ends then. Nobody waits for that thread without a
// limit: it may wait for the loader's lock, which a thread may hold that waits for a sort.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <limits>
#include <new>
#include <string>
#include <utility>

#if defined(__linux__)
#include <dlfcn.h>
#endif

#include "heist/detail/parallel/key_sort.hpp"
#include "platform/park.hpp"
#include "platform/process.hpp"
#include "platform/thread.hpp"
#include "runtime/core/environment.hpp"
#include "runtime/core/worker.hpp"

namespace heist::inline v0::detail {

#if defined(__linux__)

namespace {

constexpr const char* library_name = "libhwy_contrib.so.1";
constexpr std::size_t kinds = 8;

// What the library declares in <hwy/contrib/sort/vqsort.h>: the last parameter's type, an empty
// class, and a class with a pointer.
struct order {};
struct alignas(64) sorter {
  std::byte content[64]{};
};
using make_function = void (*)(sorter* self);
using sort_function = void (*)(const sorter* self, void* keys, std::size_t n, order);

struct functions {
  make_function make = nullptr;
  make_function end = nullptr;
  sort_function sort[2][kinds] = {};  // ascending, descending
};
functions highway;  // written by the thread that loads

template <std::size_t Direction, std::size_t Kind>
void sort_by_highway(void* keys, std::size_t n) noexcept {
  sorter s;
  highway.make(&s);
  highway.sort[Direction][Kind](&s, keys, n, {});
  highway.end(&s);
}

template <std::size_t... Kind>
constexpr key_sort_function sort_of(bool descends, std::size_t kind,
                                    std::index_sequence<Kind...>) noexcept {
  constexpr key_sort_function all[2][kinds] = {{&sort_by_highway<0, Kind>...},
                                               {&sort_by_highway<1, Kind>...}};
  return all[descends ? 1 : 0][kind];
}

enum : std::uint32_t { idle, loading, loaded, none };
constinit platform::park_word state{idle};
// The process that loads: a child that is forked meanwhile has no thread that will finish.
constinit std::atomic<unsigned> loads_in{0};
// Keys that were sorted without it. Relaxed: an estimate.
constinit std::atomic<std::size_t> keys_before{0};

// So many keys take about as long to sort as the library to load.
constexpr std::size_t keys_that_pay = std::size_t{1} << 18;
// What sorting a key takes longer without it, at least.
constexpr std::chrono::nanoseconds saved_for_a_key{10};

bool look_up(void* library, const std::string& name, auto& function) {
  function =
      reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name.c_str()));
  return function != nullptr;
}

// Throws std::bad_alloc.
bool load() {
  void* const library = ::dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return false;
  bool is_known = look_up(library, "_ZN3hwy6SorterC1Ev", highway.make) &&
                  look_up(library, "_ZN3hwy6Sorter6DeleteEv", highway.end);
  constexpr char types[kinds + 1] = "tsjimlfd";  // unsigned short ... double, as they are mangled
  for (std::size_t kind = 0; is_known && kind < kinds; ++kind) {
    const std::string name = std::string("_ZNK3hwy6SorterclEP") + types[kind];
    is_known = look_up(library, name + "mNS_13SortAscendingE", highway.sort[0][kind]) &&
               look_up(library, name + "mNS_14SortDescendingE", highway.sort[1][kind]);
  }
  return is_known;
}

// It takes 12 KiB of stack for 2^26 keys, and the cuts before it some.
constexpr std::size_t least_stack = std::size_t{32} << 10;

bool has_stack() noexcept {
  const fiber* const here = fiber_here();
  if (here == nullptr || here->stack.base == nullptr) return true;  // a thread's own stack
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) -
             reinterpret_cast<std::uintptr_t>(here->stack.base) >=
         least_stack;
}

void begin_to_load() {
  std::uint32_t seen = idle;
  if (!state.compare_exchange_strong(seen, loading, std::memory_order_relaxed,
                                     std::memory_order_relaxed))
    return;
  const auto finish = [](std::uint32_t how) {
    // Release: partner is the acquire in vectorised_sort(); the functions.
    state.store(how, std::memory_order_release);
    platform::futex_wake(state, std::numeric_limits<int>::max());
  };
  loads_in.store(platform::process_generation(), std::memory_order_relaxed);
  platform::keep_code_loaded();
  const platform::signals_held hold;
  auto thread = platform::try_start_thread([finish] {
    bool is_loaded = false;
    try {
      is_loaded = load();
    } catch (const std::bad_alloc&) {
    }
    finish(is_loaded ? loaded : none);
  });
  if (thread)
    thread->detach();
  else
    finish(none);
}

}  // namespace

key_sort_function vectorised_sort(key_kind kind, bool descends, std::size_t n) {
  std::uint32_t now = state.load(std::memory_order_acquire);
  if (now == idle) {
    const std::size_t before = keys_before.fetch_add(n, std::memory_order_relaxed);
    if (before + n < keys_that_pay) return nullptr;
    if (scalar_sort_from_environment())
      state.store(none, std::memory_order_relaxed);
    else
      begin_to_load();
    now = state.load(std::memory_order_acquire);
  }
  if (now == loading && n >= keys_that_pay &&
      loads_in.load(std::memory_order_relaxed) == platform::process_generation()) {
    platform::futex_wait_for(state, loading, n * saved_for_a_key);
    now = state.load(std::memory_order_acquire);
  }
  if (now != loaded || !has_stack()) return nullptr;
  return sort_of(descends, static_cast<std::size_t>(kind), std::make_index_sequence<kinds>{});
}

#else

key_sort_function vectorised_sort(key_kind, bool, std::size_t) { return nullptr; }

#endif

}  // namespace heist::inline v0::detail
