// Counts every allocation of the process, and refuses one on request: malloc and its relatives are
// replaced in this program, so that allocations by the standard library and the C library are
// counted too.
#pragma once

namespace heist_test::allocations {

// Refuses the n-th allocation from now on, and no other; 0 refuses none.
void refuse_at(long n) noexcept;
// The same, but counts only allocations by operator new.
void refuse_new_at(long n) noexcept;
// Ends the refusals; returns true if an allocation was refused.
bool was_refused() noexcept;

// The number of allocations that are not freed.
[[nodiscard]] long alive() noexcept;

}  // namespace heist_test::allocations
