// Splitting on demand: how a loop without a grain size runs.
//
// A worker runs its iterations in chunks and looks at its request word between them, the very word
// that a push looks at. Only when a thief has asked, and the remaining iterations are worth it,
// does it fork the newer half of them. So a loop without help costs a comparison and a look at the
// clock for each chunk, and a thief waits for one chunk at most.
//
// Chunks have 1 iteration at first and grow while one takes less than a few microseconds; they
// shrink when one takes more. They have at most 4096 iterations: that bounds how long a thief waits
// when the iterations suddenly become expensive.
//
// Before the first iteration its cost is unknown. A loop of few iterations (first_look) is forked
// at once, as each may be long, into as many parts as there are workers. A loop of many iterations
// tries one first; the loss is small. A part of very few iterations (too_few_to_time) does not look
// at the clock, which may take longer than all of them, until a worker asks: it runs them one by
// one, so a thief waits for one iteration at most.
//
// When a chunk throws, those to its right that haven't begun are skipped; those to its left run,
// since one of them might throw what a serial run would have met first.
//
// Source: lazy binary splitting (Tzannes, Caragea, Barua, Vishkin, 2010) for looking before
// splitting; there a worker looks at its own deque, here at the request word, since the deque has a
// private part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "heist/detail/entry.hpp"
#include "heist/detail/export.hpp"
#include "heist/detail/hot_path.hpp"
#include "heist/detail/parallel/leftmost_place.hpp"
#include "heist/detail/parallel/pace.hpp"
#include "heist/detail/race.hpp"
#include "heist/fork_join.hpp"

namespace heist::inline v0::detail {

// To be called when the request word shows a request, after a look at the entry: whether a fork
// would now help a thief. In a pool with another deque, which has no requests, whether the caller's
// deque is empty.
[[gnu::cold]] HEIST_API bool wants_work() noexcept;

[[gnu::always_inline]] inline bool asked_to_split() noexcept {
  if (!hot_path::asked(hot_path::depth())) [[likely]]
    return false;
  look_at_entry();
  return wants_work();
}

// A loop over [0, n) of Work, which is called as work(first, last) for one chunk. If it returns
// bool, false ends the part of the loop to which the chunk belongs; other parts must find out for
// themselves.
template <class Work>
class split_loop {
 public:
  // To be made on a worker of a pool with `workers` workers. Work must be callable by several
  // threads at once.
  split_loop(const Work& work, unsigned workers) noexcept : work_(work), workers_(workers) {}
  split_loop(const split_loop&) = delete;
  split_loop& operator=(const split_loop&) = delete;

  void run(std::size_t n) {
    if (workers_ <= 1 || n <= 1)
      work(0, n);
    else if constexpr (HEIST_RACE)
      race::each(n, work_, race::here());
    else
      run(0, n);
  }

  // The same, for work that may be called for parts on one worker, too: a loop that may be long
  // looks at the request word all the same. For a shorter one that would cost a fiftieth of its
  // time.
  void run_and_look(std::size_t n) {
    if (workers_ > 1 || n <= 2 * pace::max_chunk)
      run(n);
    else
      run_alone(n);
  }

 private:
  // From this number of iterations for each worker on, the time for trying one is negligible.
  static constexpr std::size_t first_look = 32;
  static constexpr std::size_t too_few_to_time = 8;
  static constexpr std::size_t first_chunk_alone = 64;  // chunks after it begin at cache lines, too

  [[gnu::noinline]] void run_alone(std::size_t n) {
    std::size_t first = 0;
    std::uint64_t before = ticks();
    for (std::size_t chunk = first_chunk_alone; n - first > chunk;) {
      if (!work(first, first + chunk)) return;
      first += chunk;
      chunk = pace::after(chunk, look_at_clock(before));
      if (hot_path::asked(hot_path::depth())) [[unlikely]]
        look_at_entry();
    }
    work(first, n);
  }

  void run(std::size_t first, std::size_t last) {
    const std::size_t chunk = pace_.chunk();
    if (chunk == 0 && last - first < first_look * workers_)
      run_few(first, last, workers_);
    else
      run_chunks(first, last, chunk);
  }

  // Forks as many parts as there are workers, at once.
  [[gnu::noinline]] void run_few(std::size_t first, std::size_t last, unsigned parts) {
    if (parts <= 1 || last - first <= 1) return run_part(first, last);
    const std::size_t middle = first + (last - first) / 2;
    fork_join([this, first, middle, parts] { run_few(first, middle, parts / 2); },
              [this, middle, last, parts] { run_few(middle, last, parts - parts / 2); });
  }

  void run_part(std::size_t first, std::size_t last) {
    const std::size_t paced = pace_.chunk();
    std::size_t next = first;
    if (paced == 0 && last - first <= too_few_to_time) next = run_one_by_one(first, last);
    if (next != last) run_chunks(next, last, paced);
  }

  // Until a worker asks. Returns the first iteration that is left. The iterations are compiled once
  // more here, as a call for each would take longer than most of them.
  [[gnu::always_inline]] std::size_t run_one_by_one(std::size_t first, std::size_t last) {
    std::size_t next = first;
    try {
      for (; next != last && !asked_to_split(); ++next)
        if (thrown_.is_left_of(next) || !call(next, next + 1)) return last;
    } catch (...) {
      thrown_.note(next);
      throw;
    }
    return next;
  }

  // chunk == 0: it isn't known yet how many iterations a chunk should have.
  void run_chunks(std::size_t first, std::size_t last, std::size_t chunk) {
    if (last - first == 1) {
      work(first, last);
      return;
    }
    std::uint64_t before = 0;
    std::uint64_t took = 0;  // ticks of the last chunk; 0: not known, taken as long enough
    std::size_t done = 1;
    if (chunk == 0) {
      before = ticks();
      if (!work(first, first + 1)) return;
      ++first;
      took = look_at_clock(before);
      chunk = pace::after(1, took);
      pace_.remember(chunk);
    } else if (last - first > chunk) {
      before = ticks();
    }
    while (last - first > chunk) {
      if (asked_to_split() && worth_splitting(last - first, done, took)) return fork(first, last);
      if (!work(first, first + chunk)) return;
      first += chunk;
      if (last - first <= chunk) break;  // no later chunk needs the time
      done = chunk;
      took = look_at_clock(before);
      chunk = pace::after(chunk, took);
      pace_.remember(chunk);
    }
    work(first, last);
  }

  [[gnu::noinline]] void fork(std::size_t first, std::size_t last) {
    const std::size_t middle = first + (last - first) / 2;
    fork_join([this, first, middle] { run(first, middle); },
              [this, middle, last] { run(middle, last); });
  }

  static std::uint64_t look_at_clock(std::uint64_t& before) noexcept {
    const std::uint64_t now = ticks();
    const std::uint64_t took = now - before;
    before = now;
    return took | 1;  // a coarse clock may not have moved
  }

  // Whether `left` iterations will take long enough to be worth a steal, if `done` of them took so
  // many ticks. If that was too short to tell, the next chunk will tell.
  static bool worth_splitting(std::size_t left, std::size_t done, std::uint64_t took) noexcept {
    if (took == 0) return true;
    if (took < ticks_per_chunk() / 16 && done < pace::max_chunk) return false;
    return left / done >= ticks_per_chunk() / 4 / took;
  }

  // Out of line, so that the iterations are compiled as a plain counted loop.
  [[gnu::noinline]] bool work(std::size_t first, std::size_t last) {
    if (thrown_.is_left_of(first)) return false;
    try {
      return call(first, last);
    } catch (...) {
      thrown_.note(first);
      throw;
    }
  }

  // Whether the loop goes on.
  [[gnu::always_inline]] bool call(std::size_t first, std::size_t last) {
    if constexpr (std::is_void_v<std::invoke_result_t<const Work&, std::size_t, std::size_t>>) {
      work_(first, last);
      return true;
    } else {
      return work_(first, last);
    }
  }

  const Work& work_;
  const unsigned workers_;
  pace pace_;
  leftmost_place thrown_;
};

template <class Work>
void split_on_demand(std::size_t n, const Work& work, unsigned workers) {
  split_loop<Work>(work, workers).run(n);
}

// The same for work that may get parts on one worker, too.
template <class Work>
void split_and_look(std::size_t n, const Work& work, unsigned workers) {
  split_loop<Work>(work, workers).run_and_look(n);
}

// The same as split_on_demand from any thread. An empty loop enters no pool.
template <class Work>
void split_on_demand(std::size_t n, const Work& work) {
  if (n == 0) return;
  on_a_worker([&](unsigned workers) { split_on_demand(n, work, workers); });
}

// Work that is called through a pointer.
class called_work {
 public:
  template <class Work>
  explicit called_work(const Work& work) noexcept
      : work_(&work), call_([](const void* w, std::size_t first, std::size_t last) {
          const Work& f = *static_cast<const Work*>(w);
          if constexpr (std::is_void_v<decltype(f(first, last))>) {
            f(first, last);
            return true;
          } else {
            return f(first, last);
          }
        }) {}
  bool operator()(std::size_t first, std::size_t last) const { return call_(work_, first, last); }

 private:
  const void* work_;
  bool (*call_)(const void* work, std::size_t first, std::size_t last);
};

// As split_on_demand, for algorithms of many loops whose chunks take longer than a call: they share
// one split_loop. One for each is ten functions more to compile, and half of a sort's code.
template <class Work>
void split_calls(std::size_t n, const Work& work, unsigned workers) {
  split_on_demand(n, called_work(work), workers);
}

}  // namespace heist::inline v0::detail
