// Finds out that a computation is over: no node has work, and none is on its way.
//
// A node is passive while its bag is empty. Only a bag that arrives makes it active, so each node
// counts the bags that it sent and received. Node 0 sends a wave down the tree; each node answers
// when it is passive and its children have answered, with the sums over its subtree. The run is
// over if two waves, one after the other, bring the same sums and as many bags were received as
// sent (Mattern: Algorithms for distributed termination detection, 1987, the four-counter method).
//
// Why one wave is not enough: nodes answer at different times. A bag that leaves a node after its
// answer, and is received before another's, is missing among the sent ones and can stand in for one
// that is still on its way.
//
// Why two are: let the first wave end at time t. Counters only grow. What the first wave counted is
// at most what was true at t, and what the second counted at least that; so equal sums say that no
// node sent or received anything between its two answers, and the sums are those of time t.
// As many received as sent: at t nothing was on its way. Each node was passive when it answered the
// first wave, and has received nothing since; so at t all were passive. Nothing can change then.
#pragma once

#include <cstdint>
#include <optional>

#include "cluster/message.hpp"
#include "cluster/sender.hpp"
#include "cluster/tree.hpp"

namespace heist::inline v0::cluster {

struct bag_counts {
  std::uint64_t sent = 0, received = 0;

  friend bool operator==(const bag_counts&, const bag_counts&) = default;
};

template <class Seam>
class termination {
 public:
  termination(tree_place place, sender& to) : place_(place), to_(to) {}

  // Whether the run is over: only ever true at node 0.
  [[nodiscard]] bool is_over() const { return is_over_; }
  [[nodiscard]] std::uint64_t waves() const { return wave_; }

  void on_wave(std::uint64_t number) {
    wave_ = number;
    answers_ = 0;
    below_ = {};
    is_asked_ = true;
    place_.for_each_child(
        [&](rank child) { to_.send(child, {.kind = message_kind::wave, .number = number}); });
  }

  void on_counts(const message& m) {
    if (m.number != wave_) return;
    ++answers_;
    below_.sent += m.sent;
    below_.received += m.received;
  }

  // To be called whenever the node is passive and something has changed. `own` are its counts.
  void passive(const bag_counts& own) {
    if (place_.is_root() && !is_asked_ && !is_over_) on_wave(wave_ + 1);
    while (is_asked_ && answers_ == place_.children()) {
      is_asked_ = false;
      const bag_counts sums{below_.sent + own.sent, below_.received + own.received};
      if (place_.is_root())
        conclude(sums);
      else
        to_.send(place_.parent(), {.kind = message_kind::counts,
                                   .number = wave_,
                                   .sent = sums.sent,
                                   .received = sums.received});
    }
  }

 private:
  void conclude(const bag_counts& sums) {
    const bool is_second = last_ == sums || !Seam::has(protocol_step::second_wave);
    is_over_ = is_second && sums.sent == sums.received;
    last_ = sums;
    if (!is_over_) on_wave(wave_ + 1);
  }

  tree_place place_;
  sender& to_;
  std::uint64_t wave_ = 0;  // the last one that began here
  rank answers_ = 0;        // of children, to that wave
  bag_counts below_;        // their sums
  bool is_asked_ = false;   // that wave wants an answer
  bool is_over_ = false;
  std::optional<bag_counts> last_;  // of the wave before; at node 0 only
};

}  // namespace heist::inline v0::cluster
