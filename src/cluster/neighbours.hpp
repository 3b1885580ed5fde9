// Watches the neighbours in the tree, since MPI says nothing of a process that died: each node
// sends them a sign of life from time to time, and one from whom nothing came for long counts as
// dead. With a node's death each part that the tree falls into has a node beside it that notices,
// and a failure goes on from neighbour to neighbour. So all know within the silence, the time
// between two signs, and a message's way over the tree.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "cluster/message.hpp"
#include "cluster/sender.hpp"
#include "cluster/tree.hpp"

namespace heist::inline v0::cluster {

class neighbours {
 public:
  neighbours(const node_settings& settings, tree_place place, sender& to)
      : settings_(settings), place_(place), to_(to) {
    heard_.fill(to.now_ns());
  }

  [[nodiscard]] bool are_watched() const { return settings_.heartbeat_ns != 0; }
  [[nodiscard]] std::uint64_t next_ns() const { return next_ns_; }

  void on_message(rank from) {
    if (!are_watched()) return;
    std::size_t i = 0;
    place_.for_each_neighbour([&](rank other) {
      if (other == from) heard_[i] = to_.now_ns();
      ++i;
    });
  }

  // Sends the signs that are due. Returns a neighbour that has been silent for too long.
  [[nodiscard]] std::optional<rank> look() {
    const auto now = to_.now_ns();
    if (!are_watched() || now < next_ns_) return {};
    next_ns_ = now + settings_.heartbeat_ns;
    std::optional<rank> silent;
    std::size_t i = 0;
    place_.for_each_neighbour([&](rank other) {
      to_.send(other, {.kind = message_kind::alive});
      if (now > heard_[i] + settings_.silence_ns) silent = other;
      ++i;
    });
    return silent;
  }

 private:
  const node_settings& settings_;
  tree_place place_;
  sender& to_;
  std::uint64_t next_ns_ = 0;  // when a sign is due
  std::array<std::uint64_t, tree_place::children_each + 1> heard_{};
};

}  // namespace heist::inline v0::cluster
