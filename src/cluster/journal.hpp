// The journal of a run: its last snapshot in one file, from which another run can go on. The file
// is replaced as a whole, so that at any time it is one snapshot or the one before.
#pragma once

#include <string>

#include "cluster/snapshots.hpp"

namespace heist::inline v0::cluster {

// Throws resource_error if the file can't be written; an older journal then is as it was. `run`
// names the computation with its arguments.
void write_journal(const std::string& path, const std::string& run, const snapshot& what);

// Throws resource_error if the file can't be read, and usage_error if it is no journal, is damaged
// or belongs to a run other than `run`.
[[nodiscard]] snapshot read_journal(const std::string& path, const std::string& run);

}  // namespace heist::inline v0::cluster
