// Drives the node of one rank: what has arrived goes to the node, signs of life go out, and between
// two looks the workers process items for a round.
//
// A round takes about as long as a request and its answer take on their way, so that a victim's
// computing at most doubles the time of a steal; but no less than 100 us or fifty times a look for
// messages, and no more than 2 ms. A look costs half a microsecond, except where there are more
// ranks than processors: Open MPI then gives the processor away each time. With two workers or more
// a round takes at least 1 ms: to share the bag out and to collect it takes tens of microseconds,
// which at 100 us a round was a quarter of the processors' time.
#pragma once

#include <chrono>
#include <cstdint>
#include <future>
#include <string>

#include "cluster/mpi/context_impl.hpp"
#include "cluster/mpi/transport.hpp"
#include "cluster/node.hpp"
#include "heist/cluster/detail/bag_work.hpp"

namespace heist::inline v0::cluster {

class driver {
 public:
  // All references must outlive the driver. `name` is that of the run.
  driver(context::impl& in, const std::string& name, detail::shared_work& work,
         mpi_transport& transport, node& own);

  // Until the node is finished.
  void run();

  [[nodiscard]] rank_summary summary() const;

 private:
  using clock = detail::work_clock;

  [[nodiscard]] bool receive_all();
  void look_at_clock();
  void keep_journal(clock::time_point now);
  void end_writing();
  void work_a_round();
  [[nodiscard]] clock::duration round_length() const;
  [[nodiscard]] std::uint64_t ns_since_start(clock::time_point now) const;

  context::impl& in_;
  const std::string& name_;
  detail::shared_work& work_;
  mpi_transport& transport_;
  node& node_;
  clock::time_point start_, next_snapshot_, next_progress_;
  rank_summary own_;
  std::uint64_t look_ns_ = 0;  // a look for messages between two rounds, lately
  // The disk may take seconds, in which this rank's signs of life must go on.
  std::future<void> writing_;
  std::uint32_t snapshots_ = 0;
};

// Of a run with a journal.
[[nodiscard]] std::string journal_path(const context::impl& in);

}  // namespace heist::inline v0::cluster
