// HEIST_STATS: a line at exit about what the arenas did, beside those of heist's pools.
#pragma once

namespace heist::inline v0::libtbb {

class work_arena;

// To be called before an arena ends.
void note_end_of(work_arena& a) noexcept;
// If HEIST_STATS asks for it, a line is written when the program ends.
void report_at_exit() noexcept;

}  // namespace heist::inline v0::libtbb
