// A heist::cluster::context over a communicator of the program's own.
#pragma once

#include <mpi.h>

#include "heist/cluster/context.hpp"

namespace heist::inline v0::cluster {

// Over a duplicate of `over`, whose ranks must all make this call; MPI must be initialised, and
// stays so. Throws as context's constructor does.
[[nodiscard]] context make_context(MPI_Comm over, settings how = {});

}  // namespace heist::inline v0::cluster
