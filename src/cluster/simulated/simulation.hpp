// A cluster of any size in one thread: the nodes' real protocol over a network of which only the
// times are simulated. The bags are real, too: each item is processed, and the result is exact.
//
// The model. A node is a processor that processes a chunk of items, receives what has arrived since
// the last chunk, and goes on; a node without work receives a message when it arrives. Each message
// costs the node that sends it and the one that receives it some time (o of LogP: Culler et al.
// 1993), and is on its way for a latency that depends on whether both are on one host, with some
// chance in it, and on its length. The network itself is never congested.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "cluster/node.hpp"

namespace heist::inline v0::cluster::simulated {

struct death {
  rank node;
  std::uint64_t at_ns;  // after the run's begin
};

struct simulation_settings {
  rank nodes = 1;
  node_settings protocol = {};
  double item_ns = 1000;           // of one item, at least 1e-3
  std::uint64_t chunk_items = 1;   // processed between two looks at the messages
  double latency_ns = 10'000;      // of a message from host to host
  double host_latency_ns = 1'000;  // within a host
  double jitter = 0;               // a latency is at most that much longer or shorter: 0.1 is 10 %
  double bytes_per_ns = 0;         // 0: any length travels in the same time
  std::uint64_t message_ns = 0;    // that a message costs at either end
  std::optional<death> dies = {};
  std::uint64_t snapshot_ns = 0;  // time between snapshots; 0: none
};

struct simulation_result {
  std::uint64_t items = 0;
  double time_ns = 0;         // from the first node's begin until it knows that nothing is left
  double termination_ns = 0;  // the part of it after the last item
  std::optional<double> ramp_up_ns;  // until nine of ten nodes had worked; empty: they never had
  node_counts sums;                  // of all nodes
  std::uint64_t most_messages = 0;   // received by one node
  double greatest_share = 0;         // of its time that a node spent on messages
  std::uint64_t waves = 0, snapshots = 0;
  std::optional<failure> failed;  // as the last living node knows it
  double failure_known_ns = 0;    // after the death: until all nodes knew of it
};

// What the first node begins with, and the others' empty bags.
using work_maker = std::function<std::unique_ptr<work>(rank)>;

// The same settings give the same result. Throws std::bad_alloc. `result`, if it is not null, gets
// node 0's bag at the end. `progress` is called now and then with the number of items so far.
[[nodiscard]] simulation_result simulate(const simulation_settings& settings,
                                         const work_maker& make_work,
                                         std::unique_ptr<work>* result = nullptr,
                                         const std::function<void(std::uint64_t)>& progress = {});

// An upper bound on the mean time of stealing from victims chosen at random, of W = `work_ns` in
// items of the same time, where a message takes the latency (Gast, Khatiri, Trystram, Wagner:
// Analysis of work stealing with latency, 2021): W/p + 16.12 l log2(W/(2 l)) + 3 l.
[[nodiscard]] double random_stealing_bound_ns(double work_ns, rank nodes, double latency_ns);

}  // namespace heist::inline v0::cluster::simulated
