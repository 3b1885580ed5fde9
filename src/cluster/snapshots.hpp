// Snapshots of a run that goes on meanwhile: each node's bag at some moment, and the bags that were
// on their way at that moment, so that every item is in exactly one of them.
//
// Node 0 begins a snapshot: its epoch goes up by one, and marks with the new epoch go down the
// tree. A node takes its part when it gets a mark, or work from a node that has taken its part,
// whichever is first, and before it takes that work in. Its part is its bag and how many bags it
// had sent and received. Every message carries its sender's epoch: work from an earlier epoch than
// the receiver's was on its way, and the receiver sends a copy to node 0. Node 0 knows how many
// such bags there are, from the sums of all parts, and the snapshot is complete when it has them
// all (Lai, Yang: On distributed snapshots, 1987; no order of messages is assumed).
//
// Why no item is missing or double: take any bag that was sent. Sent before the sender's part and
// received before the receiver's: it is in the receiver's bag or what became of it. Sent after and
// received after: it still is in the sender's part. Sent before and received after: late, node 0
// gets a copy. Sent after, received before: never, since the receiver takes its part first.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "cluster/message.hpp"
#include "cluster/sender.hpp"
#include "cluster/termination.hpp"
#include "cluster/tree.hpp"

namespace heist::inline v0::cluster {

// Bags that, merged, are the whole computation, with all that was done.
struct snapshot {
  std::uint32_t epoch = 0;
  std::vector<bytes> bags;
};

template <class Seam>
class snapshots {
 public:
  snapshots(tree_place place, rank nodes, sender& to, work& bag)
      : place_(place), nodes_(nodes), to_(to), bag_(bag) {}

  // At node 0. Nothing happens while the last one isn't complete.
  void begin(const bag_counts& own) {
    if (parts_ == 0) take(to_.epoch + 1, own);
  }
  [[nodiscard]] bool is_complete() const {
    return parts_ == nodes_ &&
           (before_.sent == before_.received + late_ || !Seam::has(protocol_step::late_work));
  }
  // Needs is_complete().
  [[nodiscard]] snapshot collect() {
    parts_ = 0;
    late_ = 0;
    before_ = {};
    return std::exchange(collected_, {});
  }

  // Before anything else is done with a message: `own` are the counts without it.
  void before(const message& m, const bag_counts& own) {
    const bool is_early = m.epoch > to_.epoch;
    const bool is_work = m.kind != message_kind::mark;
    if (is_early && (!is_work || Seam::has(protocol_step::mark_before_merge))) take(m.epoch, own);
  }

  // Work from a node that had not taken its part, to one that had.
  void forward_late(const message& m) {
    if (m.epoch < to_.epoch && Seam::has(protocol_step::late_work))
      to_root({.kind = message_kind::late, .payload = m.payload});
  }

  void on_part(message m) {
    ++parts_;
    before_.sent += m.sent;
    before_.received += m.received;
    collected_.bags.push_back(std::move(m.payload));
  }
  void on_late(message m) {
    ++late_;
    collected_.bags.push_back(std::move(m.payload));
  }

 private:
  void take(std::uint32_t epoch, const bag_counts& own) {
    to_.epoch = epoch;
    place_.for_each_child([&](rank child) { to_.send(child, {.kind = message_kind::mark}); });
    message part{.kind = message_kind::part, .sent = own.sent, .received = own.received};
    bag_.write_to(part.payload);
    to_root(std::move(part));
  }

  void to_root(message m) {
    if (!place_.is_root()) return to_.send(0, std::move(m));
    collected_.epoch = to_.epoch;
    m.kind == message_kind::part ? on_part(std::move(m)) : on_late(std::move(m));
  }

  tree_place place_;
  rank nodes_;
  sender& to_;
  work& bag_;
  // At node 0, of the snapshot that is being taken:
  rank parts_ = 0;
  std::uint64_t late_ = 0;
  bag_counts before_;  // the sums of the parts
  snapshot collected_;
};

}  // namespace heist::inline v0::cluster
