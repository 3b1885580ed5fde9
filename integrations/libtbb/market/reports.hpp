// HEIST_STATS: a line at exit about what the arenas did, beside those of heist's pools.
#pragma once

namespace heist::inline v0::libtbb {

class work_arena;

// To be called before an arena ends.
void note_end_of(work_arena& a) noexcept;
// Whether HEIST_STATS asks for the line.
[[nodiscard]] bool report_is_wanted() noexcept;
void write_report() noexcept;

}  // namespace heist::inline v0::libtbb
