// What the parts of a node share: settings, the Seam, and how they send.
#pragma once

#include <cstdint>
#include <utility>

#include "cluster/message.hpp"

namespace heist::inline v0::cluster {

// Steps without which the protocol is wrong.
enum class protocol_step : std::uint8_t {
  second_wave,        // of the detection of termination
  passive_answers,    // to waves: a node with work answers too
  mark_before_merge,  // a snapshot before work of a later epoch is taken in
  late_work,          // work that was on its way is part of the snapshot
  stop_is_passed_on,  // a failure reaches the neighbours' neighbours
};

// The default of each Seam: every step is taken. Tests put one in its place that leaves a step out,
// and see that they notice.
struct whole_protocol {
  static constexpr bool has(protocol_step) noexcept { return true; }
};

// Whom a thief asks.
enum class thief_rule : std::uint8_t {
  lifelines,  // some victims at random, then the lifelines, then nobody
  random,     // victims at random, for ever
};

enum class victim_rule : std::uint8_t {
  uniform,   // each other node with the same probability
  distance,  // one of the own host in half of the cases, else as above
};

struct node_settings {
  thief_rule thieves = thief_rule::lifelines;
  victim_rule victims = victim_rule::distance;
  std::uint32_t tries = 2;         // victims asked at random before the lifelines
  rank nodes_each_host = 1;        // hosts are neighbouring ranks
  std::uint64_t seed = 1;          // of the choice of victims
  std::uint64_t fingerprint = 0;   // of the program and its arguments: the same on each node
  std::uint64_t heartbeat_ns = 0;  // 0: no node watches another
  std::uint64_t silence_ns = 0;    // after which a neighbour counts as dead
};

// Writes the node's epoch into each message, and counts them.
class sender {
 public:
  explicit sender(port& through) : port_(through) {}

  void send(rank to, message what) {
    what.epoch = epoch;
    ++sent;
    port_.send(to, std::move(what));
  }
  [[nodiscard]] std::uint64_t now_ns() const { return port_.now_ns(); }

  std::uint32_t epoch = 0;  // how many snapshots the node has taken
  std::uint64_t sent = 0;   // messages

 private:
  port& port_;
};

}  // namespace heist::inline v0::cluster
