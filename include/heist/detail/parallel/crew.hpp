// As many calls as there are workers, for loops that are distributed by a plan and not on demand.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <exception>
#include <memory>
#include <utility>

#include "heist/detail/parallel/leftmost_place.hpp"
#include "heist/fork_join.hpp"

namespace heist::inline v0::detail {

// Calls f(first) to f(last - 1), forked; a worker that comes late finds that others have run its
// part.
template <class F>
void fork_each(unsigned first, unsigned last, const F& f) {
  if (last - first == 1) return f(first);
  const unsigned middle = first + (last - first) / 2;
  fork_join([&f, first, middle] { fork_each(first, middle, f); },
            [&f, middle, last] { fork_each(middle, last, f); });
}

// Runs plan(member, run) for each member of a crew. A plan calls run(first, last) for its chunks.
// If the plan goes from left to right, it may return when run returns false: its later chunks
// aren't wanted, since work has thrown further left, or has returned false itself. Everything to
// the left of all exceptions is run; in the end the leftmost exception is thrown. work may also
// take the member: work(member, first, last). Throws std::bad_alloc.
template <class Work, class Plan>
void run_crew(const Work& work, unsigned members, const Plan& plan) {
  struct failure {
    std::size_t where = 0;
    std::exception_ptr what;
  };
  const std::unique_ptr<failure[]> failures(new failure[members]);
  leftmost_place thrown;
  fork_each(0, members, [&](unsigned member) {
    plan(member, [&, member](std::size_t first, std::size_t last) {
      if (thrown.is_left_of(first)) return false;
      try {
        if constexpr (std::invocable<const Work&, unsigned, std::size_t, std::size_t>) {
          work(member, first, last);
        } else if constexpr (std::same_as<decltype(work(first, last)), bool>) {
          return work(first, last);
        } else {
          work(first, last);
        }
        return true;
      } catch (...) {
        thrown.note(first);
        failure& mine = failures[member];
        if (mine.what == nullptr || first < mine.where) mine = {first, std::current_exception()};
        return false;
      }
    });
  });
  failure* leftmost = nullptr;
  for (unsigned i = 0; i < members; ++i) {
    failure& f = failures[i];
    if (f.what != nullptr && (leftmost == nullptr || f.where < leftmost->where)) leftmost = &f;
  }
  if (leftmost != nullptr) std::rethrow_exception(std::move(leftmost->what));
}

// The rest of [0, n), which is handed out in chunks that a rule chooses: rule(left) is the size of
// a chunk, at least 1.
class shared_counter {
 public:
  explicit shared_counter(std::size_t n) noexcept : n_(n) {}

  struct chunk {
    std::size_t first;
    std::size_t last;  // == first: nothing is left
  };
  // Relaxed: only the numbers themselves are handed out.
  template <class Rule>
  chunk take(const Rule& rule) noexcept {
    std::size_t first = next_.load(std::memory_order_relaxed);
    std::size_t last = first;
    do {
      const std::size_t left = n_ - first;
      const std::size_t wanted = rule(left);
      last = wanted < left ? first + wanted : n_;
    } while (last != first && !next_.compare_exchange_weak(first, last, std::memory_order_relaxed,
                                                           std::memory_order_relaxed));
    return {first, last};
  }

 private:
  const std::size_t n_;
  alignas(128) std::atomic<std::size_t> next_{0};
};

// A crew whose members take their chunks of [0, n) from one counter, by that rule.
template <class Work, class Rule>
void run_crew_by_counter(std::size_t n, const Work& work, unsigned members, const Rule& rule) {
  shared_counter left(n);
  run_crew(work, members, [&](unsigned, const auto& run) {
    for (;;) {
      const auto chunk = left.take(rule);
      if (chunk.first == chunk.last || !run(chunk.first, chunk.last)) return;
    }
  });
}

}  // namespace heist::inline v0::detail
