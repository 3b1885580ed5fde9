#include "cluster/mpi/transport.hpp"

#include <chrono>
#include <climits>
#include <string>

#include "cluster/frame.hpp"

namespace heist::inline v0::cluster {

void require_mpi(int status, const char* what) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw resource_error(std::string("MPI: ") + what + ": " +
                       std::string(text, static_cast<std::size_t>(length)));
}

mpi_transport::mpi_transport(MPI_Comm over, int tag, rank nodes)
    : over_(over), tag_(tag), sent_to_(nodes) {}

mpi_transport::~mpi_transport() {
  if (sending_.empty() && coming_.empty()) return;
  // MPI may still read and write these bytes, after a failure in which somebody never answered.
  static std::vector<std::vector<bytes>> abandoned;
  abandoned.push_back(std::move(frames_));
  for (auto& each : coming_) abandoned.push_back({std::move(each.message.frame)});
}

std::uint64_t mpi_transport::now_ns() const {
  return static_cast<std::uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

void mpi_transport::send(rank to, message what) {
  if (what.kind == message_kind::request) {
    asked_ = what.number;
    asked_ns_ = now_ns();
  }
  if (what.payload.size() > std::size_t{INT_MAX} - frame_header_bytes)
    throw resource_error("a bag of " + std::to_string(what.payload.size()) +
                         " bytes is too large for a message of MPI");
  reap();
  frames_.push_back(to_frame(what));
  sending_.push_back(MPI_REQUEST_NULL);
  ++sent_to_[to];
  const auto& frame = frames_.back();
  require_mpi(MPI_Isend(frame.data(), static_cast<int>(frame.size()), MPI_BYTE,
                        static_cast<int>(to), tag_, over_, &sending_.back()),
              "MPI_Isend");
}

std::optional<mpi_transport::arrival> mpi_transport::receive() {
  while (begin_receiving())
    if (auto whole = take_if_whole(coming_.size() - 1)) return whole;
  for (std::size_t i = 0; i < coming_.size(); ++i)
    if (auto whole = take_if_whole(i)) return whole;
  return {};
}

bool mpi_transport::has_arrived() {
  reap();
  return begin_receiving() || !coming_.empty();
}

std::optional<mpi_transport::arrival> mpi_transport::take_if_whole(std::size_t place) {
  int is_there = 0;
  require_mpi(MPI_Test(&coming_[place].request, &is_there, MPI_STATUS_IGNORE), "MPI_Test");
  if (is_there == 0) return {};
  auto result = std::move(coming_[place].message);
  coming_.erase(coming_.begin() + static_cast<std::ptrdiff_t>(place));
  ++received_;
  return result;
}

// Takes up one message. A large one comes in parts, as its sender goes on; nobody waits for that.
bool mpi_transport::begin_receiving() {
  int has_come = 0;
  MPI_Message found;
  MPI_Status status;
  require_mpi(MPI_Improbe(MPI_ANY_SOURCE, tag_, over_, &has_come, &found, &status), "MPI_Improbe");
  if (has_come == 0) return false;
  int size = 0;
  require_mpi(MPI_Get_count(&status, MPI_BYTE, &size), "MPI_Get_count");
  auto& next = coming_.emplace_back();
  next.message.from = static_cast<rank>(status.MPI_SOURCE);
  next.message.frame.resize(static_cast<std::size_t>(size));
  require_mpi(MPI_Imrecv(next.message.frame.data(), size, MPI_BYTE, &found, &next.request),
              "MPI_Imrecv");
  return true;
}

void mpi_transport::note_answer(const message& m) {
  if ((m.kind != message_kind::loot && m.kind != message_kind::refusal) || m.number != asked_)
    return;
  const auto took = now_ns() - asked_ns_;
  ++trips_.count;
  trips_.sum_ns += took;
  if (trips_.least_ns == 0 || took < trips_.least_ns) trips_.least_ns = took;
}

void mpi_transport::reap() {
  if (sending_.empty()) return;
  done_.resize(sending_.size());
  int count = 0;
  require_mpi(MPI_Testsome(static_cast<int>(sending_.size()), sending_.data(), &count, done_.data(),
                           MPI_STATUSES_IGNORE),
              "MPI_Testsome");
  if (count <= 0) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < sending_.size(); ++i) {
    if (sending_[i] == MPI_REQUEST_NULL) continue;
    if (kept != i) {
      sending_[kept] = sending_[i];
      frames_[kept] = std::move(frames_[i]);
    }
    ++kept;
  }
  sending_.resize(kept);
  frames_.resize(kept);
}

}  // namespace heist::inline v0::cluster
