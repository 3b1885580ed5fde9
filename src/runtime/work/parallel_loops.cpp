// What a loop asks the runtime: how many workers could help, and whether one wants to; and what a
// sort of numbers asks the system.
#include "heist/detail/bad_range.hpp"
#include "heist/detail/parallel/key_sort.hpp"
#include "heist/detail/parallel/split_loop.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <new>
#include <numeric>
#include <string>
#include <utility>

#if defined(__linux__)
#include <dlfcn.h>
#endif

#include "heist/error.hpp"
#include "heist/histogram.hpp"
#include "heist/partitioner.hpp"
#include "heist/pool.hpp"
#include "platform/park.hpp"
#include "platform/process.hpp"
#include "platform/thread.hpp"
#include "runtime/core/environment.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/core/worker.hpp"

namespace heist::inline v0::detail {

unsigned workers_outside() { return serial_elision() ? 1 : 0; }

bool wants_work() noexcept {
  worker* const w = this_worker();
  const control& c = current_control();
  if (w != nullptr && w->lock_checks != nullptr) [[unlikely]]
    w->lock_checks->look("across a loop");
  if (w == nullptr || w->alone || c.depth() >= c.capacity) return false;  // a fork would be a call
  // A request that is seen late is answered by the next chunk. Under stats_kind::full the limit is
  // passed without one.
  if (w->log != nullptr) return true;  // measured: the loop shows all its parallelism
  return w->uses_split() ? c.is_asked() : w->forks->is_empty();
}

namespace {

std::string name_of(endpoint e) {
  return e.is_signed ? std::to_string(static_cast<long long>(e.bits)) : std::to_string(e.bits);
}

}  // namespace

void throw_bad_range(const char* who, endpoint first, endpoint last) {
  std::string text =
      std::string(who) + ": there is no range from " + name_of(first) + " to " + name_of(last);
  if (first.is_signed && static_cast<std::int64_t>(first.bits) < 0 && !last.is_signed)
    text += ": the index has their common type, which is unsigned, so " + name_of(first) +
            " would be its largest number or near it";
  throw usage_error(text);
}

void throw_no_step(const char* who) {
  throw usage_error(std::string(who) + ": a step of 0: the index would never reach the end");
}

void throw_too_many() {
  throw usage_error("heist: an algorithm was given a range of 2^64 elements or more");
}

}  // namespace heist::inline v0::detail

// ---- The partitioners that remember what earlier loops were like; refusals of algorithms.

namespace heist::inline v0 {

namespace detail {

one_at_a_time::use::use(one_at_a_time& lock) : lock_(lock) {
  // Acquire: partner is the store in the destructor.
  if (lock_.taken_.exchange(true, std::memory_order_acquire))
    throw usage_error("a partitioner that remembers was given to two loops at once");
}

void throw_bad_bin(std::size_t bin, std::size_t bins) {
  throw usage_error("heist::histogram: there is no bin " + std::to_string(bin) + " of " +
                    std::to_string(bins));
}

}  // namespace detail

namespace {

// Cuts the costs into as many parts as to has beginnings, of equal sums.
template <class Costs>
void cut_evenly(const Costs& costs, std::vector<std::size_t>& to) {
  const std::size_t parts = to.size() - 1;
  const auto total = std::accumulate(costs.begin(), costs.end(), 0.0);
  double sum = 0;
  std::size_t c = 0;
  for (std::size_t i = 1; i < parts; ++i) {
    // What lies where the share ends goes to the side where the larger part of it lies.
    const double share = total * static_cast<double>(i) / static_cast<double>(parts);
    while (c < costs.size() && sum + static_cast<double>(costs[c]) / 2 < share)
      sum += static_cast<double>(costs[c++]);
    to[i] = c;
  }
  to[parts] = costs.size();
}

}  // namespace

std::vector<std::size_t> weighted_blocks::bounds(std::size_t n, unsigned workers) const {
  if (costs.size() != n)
    throw usage_error("weighted_blocks: " + std::to_string(costs.size()) + " costs for " +
                      std::to_string(n) + " iterations");
  for (std::size_t i = 0; i < n; ++i)
    if (!(costs[i] >= 0) || !std::isfinite(costs[i]))
      throw usage_error("weighted_blocks: the cost of iteration " + std::to_string(i) + " is " +
                        std::to_string(costs[i]) + ": must be finite and at least 0");
  std::vector<std::size_t> result(workers + std::size_t{1}, 0);
  cut_evenly(costs, result);
  return result;
}

std::vector<std::size_t> semi_static::bounds() const {
  std::vector<std::size_t> result;
  for (const std::size_t b : bounds_) result.push_back(cell(b));
  return result;
}

void semi_static::start(std::size_t n, unsigned workers) {
  n_ = 0;  // should an allocation throw, the next loop starts again
  costs_.assign(std::min(n, workers * cells_per_worker), 1);
  bounds_.assign(workers + std::size_t{1}, 0);
  n_ = n;
  round_ = 0;
  assign();
}

void semi_static::assign() { cut_evenly(costs_, bounds_); }

void affinity::start(std::size_t n, unsigned workers) {
  if (n != n_ || workers != workers_) {
    n_ = 0;  // should an allocation throw, the next loop starts again
    const std::size_t blocks = std::min(n, workers * blocks_per_worker);
    taken_ = std::vector<std::atomic<bool>>(blocks);
    homes_ = std::vector<std::atomic<int>>(blocks);
    for (std::size_t b = 0; b < blocks; ++b)
      homes_[b].store(static_cast<int>(b * workers / blocks), std::memory_order_relaxed);
    n_ = n;
    workers_ = workers;
  }
  for (auto& t : taken_) t.store(false, std::memory_order_relaxed);
}

std::vector<int> affinity::homes() const {
  std::vector<int> result;
  for (const auto& h : homes_) result.push_back(h.load(std::memory_order_relaxed));
  return result;
}

std::size_t affinity::take_block() noexcept {
  const auto take = [this](std::size_t b) {
    return !taken_[b].load(std::memory_order_relaxed) &&
           !taken_[b].exchange(true, std::memory_order_relaxed);
  };
  const int me = this_worker::index();
  const std::size_t blocks = homes_.size();
  for (std::size_t b = 0; b < blocks; ++b)
    if (homes_[b].load(std::memory_order_relaxed) == me && take(b)) return b;
  for (std::size_t b = blocks; b-- > 0;) {
    if (!take(b)) continue;
    homes_[b].store(me, std::memory_order_relaxed);
    return b;
  }
  return blocks;
}

}  // namespace heist::inline v0

// ----
// Highway's sort of numbers (libhwy_contrib), which is loaded and never linked: few programs sort
// so many numbers that they need it, and loading it takes milliseconds.
//
// Who writes what. state: from idle to loading the caller that finds that it pays; from there to
// loaded or none the thread that loads, which ends then. Nobody waits for that thread without a
// limit: it may wait for the loader's lock, which a thread may hold that waits for a sort.

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

// It takes 12 KiB of stack for 20,000,000 keys, and the cuts before it some.
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
