// One refusal after the other, until there is nothing left to refuse.
#pragma once

#include <functional>

#include "tests/faults/apart.hpp"
#include "tests/faults/operations.hpp"

namespace heist_test {

// HEIST_FAULTS_LONG: everything, and more often.
[[nodiscard]] bool is_long_run();

// What can be refused: allocations, system calls.
struct seam {
  void (*refuse_at)(long n) noexcept;
  bool (*was_refused)() noexcept;
  bool is_of_system_calls = false;
};

// What must not grow from one attempt to the next, besides the number of threads.
struct comparison {
  bool allocations = true;
  bool mappings = true;
};

// What a process holds.
struct footprint {
  long allocations;
  long threads;
  long mapped_kib;  // without the allocator's heap

  [[nodiscard]] static footprint now();
};

// Calls attempt(n) for n = 1, 1 + step, ... until nothing was refused; it answers whether something was, and reports what is
// wrong. Fails if each of several attempts with the same n leaves something behind.
void refuse_each(report& r, comparison kept, long step, const std::function<bool(long n)>& attempt);

// In a new pool for each try: the operation with a refusal, then without.
void refuse_during(report& r, const seam& s, const construct& operation);

// A pool of that kind is made, used and ended, with a refusal; then once more without.
void refuse_during(report& r, const seam& s, const pool_start& start);

}  // namespace heist_test
