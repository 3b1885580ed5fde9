// The end of a run, after all ranks are finished or one has failed: every message is received, so
// that none is left for the next run or for MPI_Finalize, and rank 0 learns what each rank did.
#pragma once

#include <chrono>

#include "cluster/mpi/context_impl.hpp"
#include "cluster/mpi/transport.hpp"

namespace heist::inline v0::cluster {

// False if some rank did not answer until `deadline`. Every rank makes the call.
[[nodiscard]] bool close_run(context::impl& in, mpi_transport& transport, const rank_summary& own,
                             context::impl::clock::time_point deadline);

}  // namespace heist::inline v0::cluster
