// The messages between the nodes of a cluster, and the port through which a node sends them.
#pragma once

#include <cstdint>
#include <utility>

#include "heist/cluster/detail/work.hpp"

namespace heist::inline v0::cluster {

// A node's number, from 0; node 0 begins with all of the work and ends with the result.
using rank = std::uint32_t;

enum class message_kind : std::uint8_t {
  hello,     // up the tree: all below are there. `number`: the run's fingerprint
  begin,     // down the tree: all are there
  request,   // a thief asks for work. `number`: the thief's requests so far
  refusal,   // there is none to spare. `number`: that of the request
  loot,      // the answer to a request. `number`: that of the request; `payload`: a bag
  lifeline,  // a thief without success asks to be remembered
  gift,      // work for whom a lifeline remembers. `payload`: a bag
  bound,     // some node knows a better value. `number`: that value
  wave,      // down the tree: say your counts. `number`: which wave
  counts,    // up the tree: `sent` and `received` bags of a whole subtree. `number`: which wave
  finish,    // down the tree: nothing is left
  result,    // up the tree. `payload`: a bag without items
  release,   // down the tree: the result is complete
  mark,      // down the tree: take a snapshot. `epoch`: which one
  part,      // to node 0: a node's part of a snapshot. `sent`, `received`; `payload`: its bag
  late,      // to node 0: a bag that was on its way while a snapshot was taken
  alive,     // to neighbours in the tree, from time to time
  stop,      // to neighbours in the tree: the run has failed. `number`: whose fault; a text
};
inline constexpr message_kind last_message_kind = message_kind::stop;

struct message {
  message_kind kind = message_kind::alive;
  std::uint32_t epoch = 0;  // how many snapshots the sender had taken
  std::uint64_t number = 0, sent = 0, received = 0;
  bytes payload = {};

  friend bool operator==(const message&, const message&) = default;
};

// Delivers messages: each once, after any time, in any order.
class port {
 public:
  virtual ~port() = default;
  virtual void send(rank to, message what) = 0;
  // Of a clock that never goes back; each node may have its own.
  [[nodiscard]] virtual std::uint64_t now_ns() const = 0;
};

}  // namespace heist::inline v0::cluster
