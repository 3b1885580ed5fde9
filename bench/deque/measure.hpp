// The measurements for any type with the ends of a deque.
//
// The loops are compiled in the same way for all deques: each is in a function that is not inlined,
// into which everything of the deque is inlined that can be (flatten). The sum of the popped
// numbers is checked.
#pragma once

#include <atomic>
#include <bit>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include <heist/deque/concept.hpp>

#include "bench/deque/contestant.hpp"
#include "bench/deque/heap.hpp"
#include "bench/deque/placed.hpp"
#include "platform/cpu.hpp"

namespace heist::bench {

using number = std::uint64_t;

// The sum of 1 to `last`.
[[nodiscard]] constexpr number sum_up_to(number last) {
  return last % 2 == 0 ? last / 2 * (last + 1) : (last + 1) / 2 * last;
}

// How many of the numbers 1, 2, 3 and so on were pushed, and the sum of those that were taken.
struct flow {
  number pushed = 0;
  number sum = 0;
};

// Makes bursts of pushes up to the given depth, each followed by pops until the deque is empty.
// Everything except the deque is in registers, so a fence in the deque has nothing else to write
// back.
template <class Owner>
[[gnu::noinline, gnu::flatten]] flow bursts(Owner owner, flow from, std::size_t depth,
                                            std::size_t times) {
  flow now = from;
  for (; times > 0; --times) {
    for (std::size_t i = 0; i < depth; ++i) {
      if (owner.push(now.pushed + 1) == deque::push_result::full) break;
      ++now.pushed;
    }
    for (std::size_t i = 0; i < depth; ++i) {
      const auto one = owner.pop();
      if (!one) break;
      now.sum += *one;
    }
  }
  return now;
}

template <class Owner>
number fill(Owner& owner, std::size_t wanted) {
  number pushed = 0;
  while (pushed < wanted && owner.push(pushed + 1) == deque::push_result::ok) ++pushed;
  return pushed;
}

template <class Deque>
std::unique_ptr<Deque> made_for(std::size_t items) {
  return std::make_unique<Deque>(std::min<std::size_t>(std::bit_ceil(items), Deque::max_capacity));
}

// The median of runs of some 0.1 ms, most of which are not interrupted.
template <class Deque>
double alone_ns(const std::string& name, const deque_sizes& sizes) {
  constexpr std::size_t pairs_a_run = 8192;
  const auto made = made_for<Deque>(2 * sizes.depth);
  const auto owner = made->owner();
  const std::size_t times = std::max<std::size_t>(pairs_a_run / sizes.depth, 1);
  static_cast<void>(bursts(owner, {}, sizes.depth, 10));  // the first touch of its memory
  samples ns;
  for (std::size_t done = 0; done < sizes.pairs; done += times * sizes.depth) {
    flow all;
    const double seconds = seconds_of([&] { all = bursts(owner, {}, sizes.depth, times); });
    check_result(name, sum_up_to(all.pushed), all.sum);
    check_result(name + ", pairs", times * sizes.depth, all.pushed);
    ns.add(seconds * 1e9 / static_cast<double>(all.pushed));
  }
  return ns.median();
}

template <class Owner>
[[gnu::noinline, gnu::flatten]] number take_all(Owner& owner) {
  number sum = 0;
  while (const auto one = owner.pop()) sum += *one;
  return sum;
}

// Steals until it is told to stop.
struct busy_thief {
  std::atomic<bool> is_there{false};
  std::atomic<bool> is_over{false};
  number sum = 0;  // these two: read after the thread has ended
  number count = 0;

  template <class Thief>
  [[gnu::noinline, gnu::flatten]] void run(Thief thief) {
    is_there.store(true, std::memory_order_release);
    // Relaxed: a few steals more or fewer do not matter.
    while (!is_over.load(std::memory_order_relaxed)) {
      const auto got = thief.steal();
      if (got.result != deque::steal_result::taken) {
        platform::pause();
        continue;
      }
      sum += got.item;
      ++count;
    }
  }
};

template <class Deque>
beside_a_thief beside(const std::string& name, const deque_sizes& sizes) {
  constexpr std::size_t bursts_between_looks = 64;
  const auto made = made_for<Deque>(std::max<std::size_t>(2 * sizes.depth, 1024));
  auto owner = made->owner();
  busy_thief thief;
  flow all;
  double seconds = 0;
  {
    const std::jthread thread([&] {
      place_on(1);
      thief.run(made->thief());
    });
    while (!thief.is_there.load(std::memory_order_acquire)) platform::pause();
    const auto start = clock::now();
    while (clock::now() - start < sizes.beside)
      all = bursts(owner, all, sizes.depth, bursts_between_looks);
    seconds = seconds_since(start);
    thief.is_over.store(true, std::memory_order_relaxed);
  }
  all.sum += take_all(owner);
  check_result(name + ", beside a thief", sum_up_to(all.pushed), all.sum + thief.sum);
  return {seconds * 1e9 / static_cast<double>(all.pushed),
          static_cast<double>(thief.count) / seconds};
}

// Steals `left` numbers one at a time, and counts the steals.
struct one_at_a_time {
  template <class Deque>
  [[gnu::noinline, gnu::flatten]] static number empty(Deque& from, number left, number& steals) {
    auto thief = from.thief();
    number sum = 0;
    while (left > 0) {
      const auto got = thief.steal();
      if (got.result != deque::steal_result::taken) continue;
      sum += got.item;
      ++steals;
      --left;
    }
    return sum;
  }
};

// The same with steals of several numbers at a time, which the thief then pops from a deque of its
// own.
struct several_at_a_time {
  template <class Deque>
  [[gnu::noinline, gnu::flatten]] static number empty(Deque& from, number left, number& steals) {
    Deque own(64);
    auto mine = own.owner();
    auto thief = from.thief();
    number sum = 0;
    while (left > 0) {
      const auto got = thief.steal_into(mine);
      if (got.result != deque::steal_result::taken) continue;
      sum += got.item;
      ++steals;
      left -= 1 + got.kept;
      while (const auto one = mine.pop()) sum += *one;
    }
    return sum;
  }
};

// The owner fills the deque, then waits while a thief on another thread empties it. The result is
// the median time.
template <class Deque, class Way>
emptied_by_a_thief emptied(const std::string& name, const deque_sizes& sizes) {
  const auto made = made_for<Deque>(sizes.fill);
  auto owner = made->owner();
  number steals = 0;
  number items = 0;
  samples ns;
  for (std::size_t round = 0; round < sizes.fills; ++round) {
    const number pushed = fill(owner, sizes.fill);
    if constexpr (requires { owner.expose_all(); }) owner.expose_all();
    number sum = 0;
    const double seconds =
        run_placed(1, [&] { return seconds_of([&] { sum = Way::empty(*made, pushed, steals); }); });
    check_result(name + ", emptied by a thief", sum_up_to(pushed), sum);
    ns.add(seconds * 1e9 / static_cast<double>(pushed));
    items += pushed;
    static_cast<void>(owner.pop());  // finds nothing, which resets a deque with fixed positions
  }
  return {ns.median(), static_cast<double>(items) / static_cast<double>(steals)};
}

template <class Deque>
bool grows() {
  Deque tried(2);
  auto owner = tried.owner();
  for (number i = 0; i < 3; ++i)
    if (owner.push(i) == deque::push_result::full) return false;
  return true;
}

// This must not run on a thread that has freed memory before: the allocator does not count what the
// thread gets from its own cache.
template <class Deque>
std::optional<deque_memory> memory_here(const std::string& name, std::size_t wanted) {
  std::byte* volatile const first = new std::byte;  // the allocator's data for this thread
  delete first;
  const auto start = heap_bytes();
  const auto small = std::make_unique<Deque>(64);
  const auto with_small = heap_bytes();
  const auto large = grows<Deque>() ? std::make_unique<Deque>(64) : made_for<Deque>(wanted);
  auto owner = large->owner();
  const number pushed = fill(owner, wanted);
  const auto with_large = heap_bytes();
  check_result(name + ", in memory", sum_up_to(pushed), take_all(owner));
  // A sanitizer replaces the allocator by one that does not count.
  if (!start || *with_small < *start + sizeof(Deque)) return std::nullopt;
  return deque_memory{static_cast<double>(*with_small - *start), pushed,
                      static_cast<double>(*with_large - *with_small) / static_cast<double>(pushed)};
}

template <class Deque>
deque_contestant contestant_of(const std::string& name) {
  const auto placed = [](auto&& measure) { return run_placed(0, measure); };
  deque_contestant made;
  made.name = name;
  made.alone_ns = [=](const deque_sizes& s) {
    return placed([&] { return alone_ns<Deque>(name, s); });
  };
  made.beside = [=](const deque_sizes& s) {
    return placed([&] { return beside<Deque>(name, s); });
  };
  made.emptied = [=](const deque_sizes& s) {
    return placed([&] { return emptied<Deque, one_at_a_time>(name, s); });
  };
  if constexpr (deque::batched_deque<Deque>)
    made.emptied_by_several = [=](const deque_sizes& s) {
      return placed([&] { return emptied<Deque, several_at_a_time>(name, s); });
    };
  made.memory = [=](const deque_sizes& s) {
    return placed([&] { return memory_here<Deque>(name, s.memory_items); });
  };
  return made;
}

}  // namespace heist::bench
