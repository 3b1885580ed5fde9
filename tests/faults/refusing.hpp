// Makes one refusal after the other, until there is nothing left to refuse.
#pragma once

#include <functional>

#include "tests/faults/apart.hpp"
#include "tests/faults/operations.hpp"

namespace heist_test {

// With HEIST_FAULTS_LONG everything is refused, and more often.
[[nodiscard]] bool is_long_run();

// The kinds of refusals: allocations and system calls.
struct seam {
  void (*refuse_at)(long n) noexcept;
  bool (*was_refused)() noexcept;
  bool is_of_system_calls = false;
};

// The resources that must not grow from one attempt to the next, besides the number of threads.
struct comparison {
  bool allocations = true;
  bool mappings = true;
};

// The resources that a process holds.
struct footprint {
  long allocations;
  long threads;
  long mapped_kib;  // excluding the allocator's heap

  [[nodiscard]] static footprint now();
};

// Calls attempt(n) for n = 1, 1 + step, ... until nothing was refused; `attempt` returns whether
// something was, and reports errors. Fails if each of several attempts with the same n leaks
// something.
void refuse_each(report& r, comparison kept, long step, const std::function<bool(long n)>& attempt);

// In a new pool for each attempt, runs the operation with a refusal, then without one.
void refuse_during(report& r, const seam& s, const construct& operation);

// Makes, uses and ends a pool of that kind with a refusal, then once more without one.
void refuse_during(report& r, const seam& s, const pool_start& start);

}  // namespace heist_test
