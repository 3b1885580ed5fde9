// One node of a cluster: a state machine over messages, without threads, clocks and sockets of its
// own. Who drives it delivers messages and lets the bag process items between them: the MPI
// transport, the tests' transport that delays, reorders and kills, and the simulator all run this
// code.
//
// The parts: thief.hpp finds work, termination.hpp notices that none is left, snapshots.hpp writes
// down what is left, neighbours.hpp notices who died. This file joins them, answers thieves,
// spreads bounds, and collects the result.
//
// A run: hello up the tree (all are there, and run the same program with the same arguments), begin
// down the tree, then work; then finish down the tree, results up it, and release down it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cluster/neighbours.hpp"
#include "cluster/sender.hpp"
#include "cluster/snapshots.hpp"
#include "cluster/termination.hpp"
#include "cluster/thief.hpp"

namespace heist::inline v0::cluster {

// Why a run ended without a result.
struct failure {
  rank at;  // whose fault
  std::string text;
};

struct node_counts {
  std::uint64_t requests = 0, refusals = 0;   // that this node's thief sent, and got
  std::uint64_t loot_in = 0, gifts_in = 0;    // bags that came
  std::uint64_t loot_out = 0, gifts_out = 0;  // bags that went
  std::uint64_t messages_in = 0, messages_out = 0;
  std::uint64_t bytes_out = 0;  // of bags
};

// Seam: the steps of the protocol, all of which it takes unless a test leaves one out.
template <class Seam = whole_protocol>
class basic_node {
 public:
  // `bag` holds what this node begins with: all of the work at node 0, nothing elsewhere. All
  // references must outlive the node.
  basic_node(const node_settings& settings, rank self, rank nodes, work& bag, port& through);
  basic_node(const basic_node&) = delete;
  basic_node& operator=(const basic_node&) = delete;

  // To be called once, before anything else.
  void start();
  // To be called for each message. Throws nothing for any message: one that makes no sense ends
  // the run.
  void receive(rank from, message m);
  // To be called when the bag has processed some items, and after the last one.
  void worked();
  // To be called from time to time, at next_tick_ns() at the latest, when the messages that have
  // arrived were received: a neighbour whose signs wait unread would count as silent.
  void tick();
  [[nodiscard]] std::uint64_t next_tick_ns() const { return neighbours_.next_ns(); }
  // This node's program has failed.
  void fail(const std::string& text) { stop({self_, text}); }
  // What came from that node is no message.
  void blame(rank at, const std::string& text) { stop({at, text}); }

  // At node 0: begins a snapshot, unless one is being taken or the run is over.
  void begin_snapshot();
  // At node 0: a snapshot, once, when it is complete.
  [[nodiscard]] std::optional<snapshot> take_snapshot();

  // Whether the bag may be asked to process items.
  [[nodiscard]] bool has_work() const {
    return state_ == state::working && !failure_ && !bag_.is_empty();
  }
  // Nothing more is to be done. At node 0 the bag then has the result; unless the run failed.
  [[nodiscard]] bool is_finished() const { return state_ == state::finished || failure_; }
  [[nodiscard]] const std::optional<failure>& why_failed() const { return failure_; }
  // Node 0: no item is left anywhere. The results still have to come.
  [[nodiscard]] bool is_over() const { return termination_.is_over(); }
  [[nodiscard]] std::uint64_t waves() const { return termination_.waves(); }
  [[nodiscard]] node_counts counts() const;

 private:
  enum class state : std::uint8_t { gathering, working, collecting, delivered, finished };

  [[nodiscard]] bool is_expected(rank from, message_kind kind) const;
  void handle(rank from, message& m);
  void on_hello(const message& m);
  void say_hello();
  void begin();
  void answer_thief(rank from, const message& m);
  void take_in(const message& m);
  void make_gifts();
  void spread_bound(std::optional<rank> except);
  void look_after();
  void finish();
  void on_result(rank from, message m);
  void pass_result_on();
  void release();
  void stop(failure why, std::optional<rank> except = {});

  const node_settings& settings_;
  rank self_, nodes_;
  tree_place place_;
  work& bag_;
  sender sender_;
  thief thief_;
  termination<Seam> termination_;
  snapshots<Seam> snapshots_;
  neighbours neighbours_;
  state state_ = state::gathering;
  rank there_ = 0;                               // children that said hello
  lifeline_set remembered_;                      // thieves to whom a gift is due
  bag_counts bags_;                              // sent and received
  std::int64_t bound_ = INT64_MIN;               // the best one that the neighbours know
  std::vector<std::pair<rank, bytes>> results_;  // of children
  std::optional<failure> failure_;
  node_counts counts_;
};

using node = basic_node<>;

}  // namespace heist::inline v0::cluster

#include "cluster/node_impl.hpp"

namespace heist::inline v0::cluster {

extern template class basic_node<whole_protocol>;

}  // namespace heist::inline v0::cluster
