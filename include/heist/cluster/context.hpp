// heist::cluster::context: the ranks of a job, which share work as the workers of a pool do.
//
//     int main() {
//       heist::cluster::context cluster;
//       const auto sum = heist::cluster::parallel_reduce(...);
//       if (cluster.rank() == 0) print(sum);
//     }
//
// Each rank of MPI has a context, and makes the same calls in the same order. One rank for each
// host, or for each NUMA domain, with a pool of its own; one rank for each processor works as well.
// The library is heist::heist_cluster; programs need no MPI header, except for
// <heist/cluster/mpi.hpp>.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "heist/error.hpp"

namespace heist::inline v0::cluster {

// A run ended without a result. what() names the rank, its host and what happened there.
class [[gnu::visibility("default")]] rank_failure : public error {
 public:
  // `rank`: whose fault it was; `what`: the message.
  rank_failure(unsigned rank, const std::string& what) : error(what), rank_(rank) {}
  // Whose fault it was.
  [[nodiscard]] unsigned rank() const noexcept { return rank_; }

 private:
  unsigned rank_;
};

// What a run has done so far, as this rank knows it.
struct progress {
  std::uint64_t items = 0;       // processed by this rank
  std::uint64_t elapsed_ns = 0;  // of this run
  std::uint32_t snapshots = 0;   // written into the journal
};

// These are the same on each rank, except for `workers`.
struct settings {
  // Of this rank's pool. 0: the processors that this rank may use, divided by the ranks of its host
  // that may use the same ones. With one worker there is no pool.
  unsigned workers = 0;

  // A folder in which rank 0 keeps the journal, from which a run can go on after a failure. Empty:
  // no journal. A run that ends removes it.
  std::string checkpoint = {};
  std::chrono::nanoseconds interval = std::chrono::seconds(30);  // between two snapshots
  // Go on from the journal. Any number of ranks may do that, whatever number there was before.
  bool resume = false;

  // Each rank sends signs of life to its neighbours this often. Longer silence than `silence` ends
  // the run; a bag's item should take much less time than that. 0: nobody is watched.
  std::chrono::nanoseconds heartbeat = std::chrono::seconds(1);
  std::chrono::nanoseconds silence = std::chrono::seconds(10);

  // Called on rank 0 about once a second during a run, by the thread that called.
  std::function<void(const progress&)> on_progress = {};
};

// What a rank did in one run.
struct rank_summary {
  std::uint64_t workers = 0;                    // of its pool
  std::uint64_t items = 0;                      // processed
  std::uint64_t requests = 0, refusals = 0;     // to other ranks for work, and how many had none
  std::uint64_t steals_in = 0, gifts_in = 0;    // bags that came: asked for, or sent by lifelines
  std::uint64_t steals_out = 0, gifts_out = 0;  // bags that went
  std::uint64_t messages_in = 0, messages_out = 0;           // of every kind
  std::uint64_t bytes_out = 0;                               // of bags
  std::uint64_t elapsed_ns = 0, working_ns = 0;              // of the run; of it in rounds of work
  std::uint64_t round_trips = 0;                             // requests that were answered
  std::uint64_t round_trip_ns = 0, least_round_trip_ns = 0;  // their sum; the shortest
  std::uint64_t polls = 0, polling_ns = 0;  // looks for messages between two rounds of work
};

// This process's part in a cluster: its rank, and the connection to the others. One for each
// process; used by one thread at a time.
class context {
 public:
  // Over MPI_COMM_WORLD. Initialises MPI, unless the program has; then the destructor finalises it.
  // Every rank must make its context, and wait for the others to do so. All functions of a context,
  // and its runs, are to be called by the thread that initialised MPI (MPI_THREAD_FUNNELED).
  //
  // Throws usage_error if MPI was initialised for another thread or was finalised, or a setting
  // makes no sense; resource_error if MPI refuses.
  explicit context(settings how = {});
  // After a failure, if some rank no longer answers, ends the processes of all ranks (MPI_Abort):
  // MPI_Finalize would wait for the dead one for ever.
  ~context();
  context(context&&) noexcept;
  context& operator=(context&&) noexcept;

  // This process's number, from 0.
  [[nodiscard]] unsigned rank() const noexcept;
  // How many ranks there are.
  [[nodiscard]] unsigned size() const noexcept;
  // Of this rank's pool.
  [[nodiscard]] unsigned workers() const noexcept;
  // The name of the host of some rank.
  [[nodiscard]] const std::string& host(unsigned rank) const;

  // To be called by a rank that can't take part in the next run, in its place: the run then ends on
  // all ranks, with this reason. Always throws rank_failure.
  [[noreturn]] void refuse(const std::string& reason);

  // Whether all ranks still answered after the last failure. If not, no further run is possible.
  [[nodiscard]] bool is_whole() const noexcept;

  // On rank 0: what each rank did in the last run. Empty elsewhere, and before.
  [[nodiscard]] const std::vector<rank_summary>& summaries() const noexcept;

  class impl;
  // What makes contexts and runs is in other headers.
  explicit context(std::unique_ptr<impl> made) noexcept;
  // For what makes contexts and runs.
  [[nodiscard]] impl& internals() noexcept { return *impl_; }

 private:
  std::unique_ptr<impl> impl_;
};

}  // namespace heist::inline v0::cluster
