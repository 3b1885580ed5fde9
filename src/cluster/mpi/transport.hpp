// Messages between ranks over MPI: two-sided, and never waiting. A message is sent by MPI_Isend,
// and its bytes are kept until that is done; what has arrived is found by MPI_Improbe, and received
// by MPI_Imrecv. Why no one-sided
// operations: with Debian's defaults they crash (Open MPI, vader without ptrace) or don't progress
// while the target computes.
//
// One thread makes all calls, that of the context.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <mpi.h>

#include "cluster/message.hpp"

namespace heist::inline v0::cluster {

// Throws resource_error, with MPI's text, unless `status` is MPI_SUCCESS.
void require_mpi(int status, const char* what);

// How long requests took until they were answered.
struct round_trips {
  std::uint64_t count = 0, sum_ns = 0, least_ns = 0;
};

class mpi_transport final : public port {
 public:
  // `over` must outlive the transport, and nobody else may use this tag in it.
  mpi_transport(MPI_Comm over, int tag, rank nodes);
  mpi_transport(const mpi_transport&) = delete;
  mpi_transport& operator=(const mpi_transport&) = delete;
  // What isn't sent or received by now is left to MPI, with its bytes.
  ~mpi_transport() override;

  // Throws resource_error if MPI refuses, or the message is too large for it.
  void send(rank to, message what) override;
  [[nodiscard]] std::uint64_t now_ns() const override;

  struct arrival {
    rank from = 0;
    bytes frame = {};
  };
  // A message that has arrived, if any. Also lets MPI go on with what is being sent.
  [[nodiscard]] std::optional<arrival> receive();
  // Whether some message has arrived, or has begun to.
  [[nodiscard]] bool has_arrived();
  // To be called for each answer that a node gets to its requests.
  void note_answer(const message& m);
  // Forgets the messages that are sent.
  void reap();
  [[nodiscard]] bool has_sent_all() const { return sending_.empty(); }

  // How many messages were sent to each rank, and how many were received from anybody.
  [[nodiscard]] const std::vector<std::uint64_t>& sent_to() const { return sent_to_; }
  [[nodiscard]] std::uint64_t received() const { return received_; }
  [[nodiscard]] const round_trips& trips() const { return trips_; }

 private:
  struct incoming {
    arrival message;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  [[nodiscard]] bool begin_receiving();
  [[nodiscard]] std::optional<arrival> take_if_whole(std::size_t place);

  MPI_Comm over_;
  int tag_;
  std::vector<incoming> coming_;
  std::vector<MPI_Request> sending_;
  std::vector<bytes> frames_;  // of `sending_`
  std::vector<int> done_;      // scratch
  std::vector<std::uint64_t> sent_to_;
  std::uint64_t received_ = 0;
  std::uint64_t asked_ = 0, asked_ns_ = 0;  // the last request, and when it was sent
  round_trips trips_;
};

}  // namespace heist::inline v0::cluster
