// A node without work looks for some: it asks a few victims at random, one after the other; then it
// asks its lifelines to remember it, and is quiet. So a cluster without work sends nothing, and no
// node with work to spare has a quiet node beside it for long.
//
// The lifelines of a node are the neighbours in a hypercube: the nodes whose number differs in one
// bit. Each node but 0 has one with a smaller number, the one without its highest bit: from node 0
// work reaches all, for any number of nodes, over log2 P steps.
//
// Saraswat, Kambadur, Kodali, Grove, Krishnamoorthy: Lifeline-based Global Load Balancing (PPoPP
// 2011). We depart from it in one point: a gift is made as soon as work arrives, not when the next
// chunk is done.
#pragma once

#include <bit>
#include <cstdint>

#include "cluster/message.hpp"
#include "cluster/sender.hpp"
#include "lab/model/random.hpp"

namespace heist::inline v0::cluster {

// A set of a node's lifelines: bit i is the node whose number differs in bit i.
class lifeline_set {
 public:
  [[nodiscard]] static lifeline_set all_of(rank self, rank nodes) {
    lifeline_set all;
    for (unsigned i = 0; i < 32 && (rank{1} << i) < nodes; ++i)
      if ((self ^ (rank{1} << i)) < nodes) all.bits_ |= rank{1} << i;
    return all;
  }

  [[nodiscard]] bool is_empty() const { return bits_ == 0; }
  [[nodiscard]] bool has(rank self, rank other) const {
    return std::has_single_bit(self ^ other) && (bits_ & (self ^ other)) != 0;
  }
  void add(rank self, rank other) { bits_ |= self ^ other; }
  void remove(rank self, rank other) { bits_ &= ~(self ^ other); }
  // The one farthest away; the set must not be empty.
  [[nodiscard]] rank farthest(rank self) const { return self ^ std::bit_floor(bits_); }

  [[nodiscard]] lifeline_set without(lifeline_set others) const {
    lifeline_set rest;
    rest.bits_ = bits_ & ~others.bits_;
    return rest;
  }
  template <class F>
  void for_each(rank self, F&& f) const {
    for (auto left = bits_; left != 0; left &= left - 1) f(self ^ (left & -left));
  }

 private:
  rank bits_ = 0;
};

class thief {
 public:
  thief(const node_settings& settings, rank self, rank nodes, sender& to)
      : settings_(settings),
        self_(self),
        nodes_(nodes),
        to_(to),
        random_(settings.seed, self),
        lifelines_(lifeline_set::all_of(self, nodes)) {}

  [[nodiscard]] lifeline_set lifelines() const { return lifelines_; }
  [[nodiscard]] std::uint64_t requests() const { return requests_; }
  [[nodiscard]] std::uint64_t refusals() const { return refusals_; }

  // The bag is empty. Only the first call after work came has an effect.
  void look_for_work() {
    if (has_looked_ || nodes_ == 1) return;
    has_looked_ = true;
    tries_ = 0;
    if (is_asking_) return;  // a gift came before the answer, which is still to come
    is_asking_ = true;
    ask_next();
  }

  void on_refusal(const message& m, bool has_work) {
    ++refusals_;
    if (!is_asking_ || m.number != requests_) return;
    if (has_work)
      is_asking_ = false;
    else
      ask_next();
  }

  void on_loot(const message& m) {
    has_looked_ = false;
    if (m.number == requests_) is_asking_ = false;
  }

  // The giver has forgotten this node.
  void on_gift(rank from) {
    has_looked_ = false;
    remembered_.remove(self_, from);
  }

 private:
  void ask_next() {
    if (settings_.thieves == thief_rule::lifelines && tries_ == settings_.tries) {
      is_asking_ = false;
      ask_lifelines();
      return;
    }
    ++tries_;
    ++requests_;
    to_.send(choose_victim(), {.kind = message_kind::request, .number = requests_});
  }

  void ask_lifelines() {
    lifelines_.without(remembered_).for_each(self_, [&](rank other) {
      remembered_.add(self_, other);
      to_.send(other, {.kind = message_kind::lifeline});
    });
  }

  [[nodiscard]] rank choose_victim() {
    const rank first = self_ - self_ % settings_.nodes_each_host;
    const rank at_home = std::min(settings_.nodes_each_host, nodes_ - first);
    if (settings_.victims == victim_rule::distance && at_home > 1 && random_.chance(1, 2))
      return first + other_of(self_ - first, at_home);
    return other_of(self_, nodes_);
  }

  // A number below `count` other than `self`.
  [[nodiscard]] rank other_of(rank self, rank count) {
    const auto chosen = static_cast<rank>(random_.below(count - 1));
    return chosen < self ? chosen : chosen + 1;
  }

  const node_settings& settings_;
  rank self_, nodes_;
  sender& to_;
  lab::rng random_;
  lifeline_set lifelines_, remembered_;  // by whom: they got a request and made no gift since
  std::uint32_t tries_ = 0;              // victims asked since work ran out
  bool has_looked_ = false;              // since work came
  bool is_asking_ = false;               // the last request has no answer yet
  std::uint64_t requests_ = 0, refusals_ = 0;
};

}  // namespace heist::inline v0::cluster
