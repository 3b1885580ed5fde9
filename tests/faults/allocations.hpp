// Every allocation of the process, counted and refused when told: malloc and its relatives are replaced in this program, so
// that also the standard library's and the C library's own are seen.
#pragma once

namespace heist_test::allocations {

// The n-th from now on is refused, and no other; 0: none.
void refuse_at(long n) noexcept;
// The same, of those by operator new alone.
void refuse_new_at(long n) noexcept;
// Ends that; true if one was refused.
bool was_refused() noexcept;

// Allocations that are not freed.
[[nodiscard]] long alive() noexcept;

}  // namespace heist_test::allocations
