// HEIST_STATS: a line at exit about what the arenas did, beside those of heist's pools.
#pragma once

namespace heist::inline v0::libtbb {

class work_arena;

// To be called before an arena ends.
void note_end_of(work_arena& a) noexcept;
// If HEIST_STATS asks for it, a line is written when the program ends, after note_living() has
// noted the arenas that are left. `workers`: of the pool.
void report_at_exit(void (*note_living)(), unsigned workers) noexcept;

}  // namespace heist::inline v0::libtbb
