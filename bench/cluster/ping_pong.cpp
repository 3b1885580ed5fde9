// How long a request and its answer take between two ranks that do nothing else:
//
//   plain   MPI_Send and MPI_Recv, which spin: the transport's own round trip
//   polled  MPI_Isend and MPI_Improbe, as heist sends, without heist
//   heist   a request and a refusal through heist's transport, with their frames
//   loot    the same with a bag of 4 KiB in the answer
//
// mpirun -n 2 heist_cluster_ping_pong: medians, least and most of 21 rounds of 2000, sides in turn.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

#include <mpi.h>

#include "cluster/frame.hpp"
#include "cluster/mpi/transport.hpp"

namespace {

using namespace heist::cluster;

constexpr int trips = 2000;
constexpr int rounds = 21;
constexpr int bytes_each = frame_header_bytes;

using packet = std::array<std::byte, bytes_each>;

void plain(int self) {
  packet p{};
  for (int i = 0; i < trips; ++i) {
    if (self == 0) MPI_Send(p.data(), bytes_each, MPI_BYTE, 1, 7, MPI_COMM_WORLD);
    MPI_Recv(p.data(), bytes_each, MPI_BYTE, 1 - self, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (self == 1) MPI_Send(p.data(), bytes_each, MPI_BYTE, 0, 7, MPI_COMM_WORLD);
  }
}

void receive_polled(packet& into) {
  int has_come = 0;
  MPI_Message found;
  while (has_come == 0)
    MPI_Improbe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &has_come, &found, MPI_STATUS_IGNORE);
  MPI_Mrecv(into.data(), bytes_each, MPI_BYTE, &found, MPI_STATUS_IGNORE);
}

void polled(int self) {
  packet in{}, out{};
  MPI_Request sent = MPI_REQUEST_NULL;
  const auto send = [&] {
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    MPI_Isend(out.data(), bytes_each, MPI_BYTE, 1 - self, 7, MPI_COMM_WORLD, &sent);
  };
  for (int i = 0; i < trips; ++i) {
    if (self == 0) send();
    receive_polled(in);
    if (self == 1) send();
  }
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

message receive_frame(mpi_transport& through) {
  while (true) {
    through.reap();
    if (const auto next = through.receive()) return from_frame(next->frame);
  }
}

void through_heist(int self, mpi_transport& through, message_kind answer, std::size_t bag_bytes) {
  const auto other = static_cast<rank>(1 - self);
  for (std::uint64_t i = 0; i < trips; ++i) {
    if (self == 0) through.send(other, {.kind = message_kind::request, .number = i});
    const auto m = receive_frame(through);
    if (self == 1)
      through.send(other, {.kind = answer, .number = m.number, .payload = bytes(bag_bytes)});
  }
}

struct side {
  const char* name;
  std::function<void()> run;
  std::vector<double> us = {};  // of a round trip
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int self = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    if (self == 0) std::fputs("heist_cluster_ping_pong: needs two ranks\n", stderr);
    MPI_Finalize();
    return 2;
  }
  {
    mpi_transport through(MPI_COMM_WORLD, 1, 2);
    std::vector<side> sides = {
        {"plain", [&] { plain(self); }},
        {"polled", [&] { polled(self); }},
        {"heist", [&] { through_heist(self, through, message_kind::refusal, 0); }},
        {"loot", [&] { through_heist(self, through, message_kind::loot, 4096); }}};
    for (int round = 0; round <= rounds; ++round) {
      for (auto& each : sides) {
        MPI_Barrier(MPI_COMM_WORLD);
        const auto start = std::chrono::steady_clock::now();
        each.run();
        const std::chrono::duration<double, std::micro> took =
            std::chrono::steady_clock::now() - start;
        if (round > 0) each.us.push_back(took.count() / trips);  // the first one makes connections
      }
    }
    for (auto& each : sides) {
      std::sort(each.us.begin(), each.us.end());
      if (self == 0)
        std::printf("  %-7s %8.2f us (%.2f to %.2f)\n", each.name, each.us[rounds / 2],
                    each.us.front(), each.us.back());
    }
    while (!through.has_sent_all()) through.reap();
  }
  MPI_Finalize();
  return 0;
}
