// A cluster in one thread, whose messages arrive in any order after any time: each step delivers
// one of the messages on the way, lets a node process a few items, begins a snapshot or lets time
// pass, as a seed decides. Every message passes through its bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cluster/frame.hpp"
#include "cluster/node.hpp"
#include "lab/model/random.hpp"
#include "numbered_bag.hpp"

namespace heist::cluster_test {

struct schedule_settings {
  cluster::rank nodes = 2;
  std::uint64_t seed = 1;
  std::uint64_t snapshot_odds = 0;       // one in that many steps begins one; 0: none
  std::optional<std::uint64_t> kill_at;  // the step in which a node dies
  std::uint64_t most_steps = 1'000'000;  // a run that takes longer hangs
  cluster::node_settings protocol = {};
};

template <class Seam = cluster::whole_protocol>
class scheduled_cluster {
 public:
  scheduled_cluster(const schedule_settings& settings, numbered_bag first)
      : settings_(settings), random_(settings.seed) {
    settings_.protocol.seed = settings.seed;
    for (cluster::rank i = 0; i < settings.nodes; ++i)
      members_.push_back(std::make_unique<member>(*this, i, i == 0 ? first : numbered_bag{}));
    for (auto& each : members_) each->node.start();
  }

  // Runs until node 0 has the result, all living nodes know of a failure, or nothing can happen any
  // more. Returns whether the run came to an end.
  bool run() {
    while (!has_ended()) {
      if (++steps_ > settings_.most_steps) return false;
      if (settings_.kill_at == steps_) kill();
      if (!step()) return false;
    }
    return true;
  }

  [[nodiscard]] const numbered_bag& result() const { return members_.front()->bag.get(); }
  [[nodiscard]] const std::vector<cluster::snapshot>& snapshots() const { return snapshots_; }
  [[nodiscard]] std::optional<cluster::rank> dead() const { return dead_; }
  [[nodiscard]] const cluster::basic_node<Seam>& at(cluster::rank r) const {
    return members_[r]->node;
  }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  struct member final : cluster::port {
    member(scheduled_cluster& all, cluster::rank number, numbered_bag first)
        : in(all),
          self(number),
          bag(std::move(first)),
          node(all.settings_.protocol, number, all.settings_.nodes, bag, *this) {}

    void send(cluster::rank to, cluster::message what) override {
      in.on_the_way_.push_back({self, to, cluster::to_frame(what)});
    }
    [[nodiscard]] std::uint64_t now_ns() const override { return in.now_; }

    scheduled_cluster& in;
    cluster::rank self;
    cluster::work_of<numbered_bag> bag;
    cluster::basic_node<Seam> node;
  };
  struct letter {
    cluster::rank from, to;
    cluster::bytes frame;
  };

  [[nodiscard]] bool is_dead(cluster::rank r) const { return dead_ == r; }

  [[nodiscard]] bool has_ended() const {
    for (const auto& each : members_)
      if (!is_dead(each->self) && !each->node.is_finished()) return false;
    return true;
  }

  bool step() {
    if (settings_.protocol.heartbeat_ns != 0 && random_.chance(1, 8)) pass_time();
    if (settings_.snapshot_odds != 0 && !is_dead(0) && random_.chance(1, settings_.snapshot_odds))
      members_.front()->node.begin_snapshot();
    const bool can_deliver = !on_the_way_.empty();
    auto* worker = some_worker();
    if (!can_deliver && worker == nullptr) return settings_.protocol.heartbeat_ns != 0;
    if (worker != nullptr && (!can_deliver || random_.chance(1, 2))) {
      worker->bag.process(random_.between(1, 4));
      worker->node.worked();
    } else {
      deliver();
    }
    if (auto taken = members_.front()->node.take_snapshot())
      snapshots_.push_back(std::move(*taken));
    return true;
  }

  void deliver() {
    std::swap(on_the_way_[random_.below(on_the_way_.size())], on_the_way_.back());
    const letter next = std::move(on_the_way_.back());
    on_the_way_.pop_back();
    if (!is_dead(next.to))
      members_[next.to]->node.receive(next.from, cluster::from_frame(next.frame));
  }

  // All that is on its way arrives before the clock goes on: a message takes less than a unit.
  void pass_time() {
    for (auto left = on_the_way_.size(); left > 0; --left) deliver();
    now_ += 1'000'000;
    for (auto& each : members_)
      if (!is_dead(each->self)) each->node.tick();
  }

  member* some_worker() {
    const auto first = random_.below(members_.size());
    for (std::size_t i = 0; i < members_.size(); ++i) {
      auto& each = *members_[(first + i) % members_.size()];
      if (each.node.has_work() && !is_dead(each.self)) return &each;
    }
    return nullptr;
  }

  // A node dies, and with it some of what it has sent.
  void kill() {
    dead_ = static_cast<cluster::rank>(random_.below(members_.size()));
    std::erase_if(on_the_way_,
                  [&](const letter& each) { return is_dead(each.from) && random_.chance(1, 2); });
  }

  schedule_settings settings_;
  lab::rng random_;
  std::uint64_t now_ = 0, steps_ = 0;
  std::vector<letter> on_the_way_;
  std::vector<std::unique_ptr<member>> members_;
  std::vector<cluster::snapshot> snapshots_;
  std::optional<cluster::rank> dead_;
};

// What a snapshot holds, as one bag.
inline numbered_bag merged(const cluster::snapshot& of) {
  cluster::work_of<numbered_bag> all(numbered_bag{});
  for (const auto& each : of.bags) all.merge(each);
  return all.get();
}

}  // namespace heist::cluster_test
