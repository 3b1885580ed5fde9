// What a context holds: a communicator, what is known of the other ranks, and this rank's pool.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <mpi.h>

#include "cluster/message.hpp"
#include "heist/cluster/context.hpp"
#include "heist/pool.hpp"

namespace heist::inline v0::cluster {

// MPI, if it is ours to finalise.
class mpi_session {
 public:
  enum class owner { program, heist };

  // Initialises MPI unless the program has. Throws as context's constructor does.
  mpi_session();
  ~mpi_session();
  mpi_session(const mpi_session&) = delete;
  mpi_session& operator=(const mpi_session&) = delete;

  [[nodiscard]] bool is_ours() const { return owner_ == owner::heist; }
  // MPI_Finalize would wait for a rank that doesn't answer.
  void end_by_abort() { ends_by_abort_ = true; }

 private:
  owner owner_ = owner::program;
  bool ends_by_abort_ = false;
};

class context::impl {
 public:
  impl(MPI_Comm over, settings how);
  ~impl();
  impl(const impl&) = delete;
  impl& operator=(const impl&) = delete;

  // "rank 3 (host): text".
  [[nodiscard]] std::string blame(cluster::rank at, const std::string& text) const;
  // Waits for it without using the processor. False: that took longer than until `deadline`;
  // `meanwhile()` is called again and again.
  using clock = std::chrono::steady_clock;
  template <class F>
  [[nodiscard]] static bool await(MPI_Request& request, clock::time_point deadline, F&& meanwhile);

  mpi_session mpi;
  settings how;
  MPI_Comm comm = MPI_COMM_NULL;
  cluster::rank self = 0, nodes = 1;
  std::vector<std::string> hosts;     // of each rank
  cluster::rank nodes_each_host = 1;  // 1 where hosts are not neighbouring ranks
  unsigned workers = 1;
  std::unique_ptr<pool> own_pool;  // with two workers or more
  int runs = 0;
  bool is_whole = true;  // all ranks answered, as far as is known
  std::vector<rank_summary> summaries;

 private:
  void look_around();
};

// Sleeps between polls: shortly at first, then for up to a millisecond, and for longer when nothing
// has come for long. To wake up and poll takes up to 50 us; an idle rank thus needs less than a
// hundredth of a processor, where MPI's own waits spin.
class back_off {
 public:
  void reset() { *this = {}; }
  void wait();

 private:
  static constexpr unsigned spins = 200;  // polls before the first sleep: some 100 us
  static constexpr std::chrono::nanoseconds first_sleep = std::chrono::microseconds(10);
  static constexpr std::chrono::nanoseconds longest_sleep = std::chrono::milliseconds(1);
  static constexpr std::chrono::nanoseconds longest_when_quiet = std::chrono::milliseconds(8);
  static constexpr unsigned polls_until_quiet = spins + 100;  // some 100 ms

  unsigned polls_ = 0;
  std::chrono::nanoseconds sleep_ = first_sleep;
};

template <class F>
bool context::impl::await(MPI_Request& request, clock::time_point deadline, F&& meanwhile) {
  back_off pause;
  while (true) {
    int is_done = 0;
    if (MPI_Test(&request, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
    if (is_done != 0) return true;
    if (clock::now() >= deadline) return false;
    meanwhile();
    pause.wait();
  }
}

}  // namespace heist::inline v0::cluster
