#include "cluster/mpi/closing.hpp"

namespace heist::inline v0::cluster {

namespace {

using clock = context::impl::clock;

// A finished node sends nothing. So, when all ranks have come here, no message is sent any more,
// and each rank's number of messages to come is the sum of what the others have sent to it.
bool receive_the_rest(context::impl& in, mpi_transport& transport, clock::time_point deadline) {
  const auto receive_some = [&] {
    transport.reap();
    while (transport.receive()) {
    }
  };
  MPI_Request all_are_here = MPI_REQUEST_NULL;
  if (MPI_Ibarrier(in.comm, &all_are_here) != MPI_SUCCESS ||
      !context::impl::await(all_are_here, deadline, receive_some))
    return false;

  std::uint64_t expected = 0;
  const auto& sent = transport.sent_to();
  MPI_Request sums = MPI_REQUEST_NULL;
  if (MPI_Ireduce_scatter_block(sent.data(), &expected, 1, MPI_UINT64_T, MPI_SUM, in.comm, &sums) !=
          MPI_SUCCESS ||
      !context::impl::await(sums, deadline, receive_some))
    return false;
  back_off pause;
  while (transport.received() < expected || !transport.has_sent_all()) {
    if (clock::now() >= deadline) return false;
    receive_some();
    pause.wait();
  }
  return true;
}

bool gather_summaries(context::impl& in, const rank_summary& own, clock::time_point deadline) {
  in.summaries.assign(in.self == 0 ? in.nodes : 0, {});
  MPI_Request gathered = MPI_REQUEST_NULL;
  constexpr int size = sizeof(rank_summary);
  return MPI_Igather(&own, size, MPI_BYTE, in.summaries.data(), size, MPI_BYTE, 0, in.comm,
                     &gathered) == MPI_SUCCESS &&
         context::impl::await(gathered, deadline, [] {});
}

}  // namespace

bool close_run(context::impl& in, mpi_transport& transport, const rank_summary& own,
               clock::time_point deadline) try {
  return receive_the_rest(in, transport, deadline) && gather_summaries(in, own, deadline);
} catch (const resource_error&) {
  return false;  // MPI refuses: it knows of the dead rank
}

}  // namespace heist::inline v0::cluster
