#include "cluster/simulated/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <stdexcept>
#include <utility>
#include <vector>

namespace heist::inline v0::cluster::simulated {

namespace {

class simulation {
 public:
  simulation(const simulation_settings& settings, const work_maker& make_work)
      : settings_(settings), random_(settings.protocol.seed, UINT64_MAX) {
    members_.reserve(settings.nodes);
    for (rank i = 0; i < settings.nodes; ++i)
      members_.push_back(std::make_unique<member>(*this, i, make_work(i)));
  }

  simulation_result run(const std::function<void(std::uint64_t)>& progress) {
    for (auto& each : members_) begin(*each);
    while (!has_ended()) {
      if (events_.empty()) throw std::logic_error("the simulated cluster waits for nothing");
      const event next = events_.top();
      events_.pop();
      handle(next);
      if (progress && ++handled_ % (1U << 16U) == 0) progress(result_.items);
    }
    sum_up();
    return result_;
  }

  [[nodiscard]] std::unique_ptr<work> take_result() { return std::move(members_.front()->bag); }

 private:
  struct member final : port {
    member(simulation& all, rank number, std::unique_ptr<work> first)
        : in(all),
          self(number),
          bag(std::move(first)),
          node(all.settings_.protocol, number, all.settings_.nodes, *bag, *this) {}

    void send(rank to, message what) override { in.post(*this, to, std::move(what)); }
    [[nodiscard]] std::uint64_t now_ns() const override { return clock; }

    simulation& in;
    rank self;
    bool is_dead = false, is_in_chunk = false, is_due = false, has_worked = false;
    std::uint64_t clock = 0;           // when the node has done what it was last asked for
    std::uint64_t busy_ns = 0;         // with messages
    std::vector<std::uint32_t> inbox;  // letters that have arrived
    std::unique_ptr<work> bag;
    cluster::node node;
  };

  struct letter {
    rank from = 0;
    message what = {};
  };

  enum class event_kind : std::uint8_t { arrival, service, tick, snapshot, death };
  struct event {
    std::uint64_t at;
    std::uint64_t order;  // among those of the same time
    rank to;
    std::uint32_t index;  // of a letter
    event_kind kind;

    bool operator>(const event& other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };

  void schedule(std::uint64_t at, event_kind kind, rank to, std::uint32_t index = 0) {
    events_.push({at, order_++, to, index, kind});
  }

  void begin(member& of) {
    of.node.start();
    if (settings_.protocol.heartbeat_ns != 0)
      schedule(settings_.protocol.heartbeat_ns, event_kind::tick, of.self);
    if (of.self != 0) return;
    if (settings_.dies) schedule(settings_.dies->at_ns, event_kind::death, settings_.dies->node);
    if (settings_.snapshot_ns != 0) schedule(settings_.snapshot_ns, event_kind::snapshot, 0);
    if (of.node.has_work()) serve(of);
  }

  void handle(const event& e) {
    auto& to = *members_[e.to];
    if (e.kind == event_kind::death) {
      to.is_dead = true;
      return;
    }
    if (to.is_dead) return;
    switch (e.kind) {
      case event_kind::arrival:
        to.inbox.push_back(e.index);
        // A node in a chunk looks at its messages when that is done; one that is busy with other
        // messages, after those.
        if (!to.is_due) become_due(to, std::max(e.at, to.clock));
        break;
      case event_kind::service:
        to.is_due = false;
        to.clock = std::max(e.at, to.clock);
        serve(to);
        break;
      case event_kind::tick:
        if (to.node.is_finished()) break;
        if (!to.is_in_chunk) {  // after a chunk, serve() ticks
          to.clock = std::max(e.at, to.clock);
          read_inbox(to);
          to.node.tick();
        }
        schedule(e.at + settings_.protocol.heartbeat_ns, event_kind::tick, e.to);
        break;
      case event_kind::snapshot:
        to.node.begin_snapshot();
        if (!to.node.is_over()) schedule(e.at + settings_.snapshot_ns, event_kind::snapshot, 0);
        break;
      case event_kind::death:
        break;
    }
    look_at_root(to);
  }

  void become_due(member& of, std::uint64_t at) {
    of.is_due = true;
    schedule(at, event_kind::service, of.self);
  }

  void read_inbox(member& of) {
    // What a node does with one message may bring no further ones into its inbox: those travel.
    for (const auto index : of.inbox) {
      spend(of, settings_.message_ns);
      auto read = std::exchange(letters_[index], {});
      free_letters_.push_back(index);
      of.node.receive(read.from, std::move(read.what));
    }
    of.inbox.clear();
  }

  void serve(member& of) {
    read_inbox(of);
    if (std::exchange(of.is_in_chunk, false)) of.node.worked();
    if (settings_.protocol.heartbeat_ns != 0) of.node.tick();
    if (!of.node.has_work()) return;
    if (!std::exchange(of.has_worked, true)) note_first_work(of);
    const auto items = of.bag->process(settings_.chunk_items);
    result_.items += items;
    of.clock += static_cast<std::uint64_t>(
        std::max(1.0, std::round(static_cast<double>(items) * settings_.item_ns)));
    of.is_in_chunk = true;
    last_item_ = std::max(last_item_, of.clock);
    become_due(of, of.clock);
  }

  void note_first_work(const member& of) {
    if (of.self == 0 && !began_) began_ = of.clock;
    ++have_worked_;
    if (!result_.ramp_up_ns &&
        std::uint64_t{have_worked_} * 10 >= std::uint64_t{settings_.nodes} * 9)
      result_.ramp_up_ns = static_cast<double>(of.clock - *began_);
  }

  void spend(member& of, std::uint64_t ns) {
    of.clock += ns;
    of.busy_ns += ns;
  }

  void post(member& from, rank to, message what) {
    spend(from, settings_.message_ns);
    const auto host = settings_.protocol.nodes_each_host;
    double ns = from.self / host == to / host ? settings_.host_latency_ns : settings_.latency_ns;
    if (settings_.jitter != 0) ns *= 1 + settings_.jitter * (2 * random_.unit() - 1);
    if (settings_.bytes_per_ns != 0)
      ns += static_cast<double>(what.payload.size()) / settings_.bytes_per_ns;
    const auto way = static_cast<std::uint64_t>(std::max(1.0, std::round(ns)));
    std::uint32_t index;
    if (free_letters_.empty()) {
      index = static_cast<std::uint32_t>(letters_.size());
      letters_.emplace_back();
    } else {
      index = free_letters_.back();
      free_letters_.pop_back();
    }
    letters_[index] = {from.self, std::move(what)};
    schedule(from.clock + way, event_kind::arrival, to, index);
  }

  void look_at_root(const member& changed) {
    if (changed.self != 0) return;
    auto& root = members_.front()->node;
    if (root.take_snapshot()) ++result_.snapshots;
    if (!over_ && root.is_over()) over_ = changed.clock;
  }

  [[nodiscard]] bool has_ended() {
    if (over_ || !settings_.dies) return over_ && members_.front()->node.is_finished();
    while (living_ < members_.size() &&
           (members_[living_]->is_dead || members_[living_]->node.is_finished()))
      ++living_;
    return living_ == members_.size();
  }

  void sum_up() {
    if (over_) {
      const auto begin = began_.value_or(0);
      result_.time_ns = static_cast<double>(*over_ - begin);
      result_.termination_ns = static_cast<double>(*over_ - std::min(*over_, last_item_));
    }
    result_.waves = members_.front()->node.waves();
    auto& sums = result_.sums;
    for (const auto& each : members_) {
      const auto c = each->node.counts();
      sums.requests += c.requests;
      sums.refusals += c.refusals;
      sums.loot_in += c.loot_in;
      sums.gifts_in += c.gifts_in;
      sums.messages_out += c.messages_out;
      sums.messages_in += c.messages_in;
      sums.bytes_out += c.bytes_out;
      result_.most_messages = std::max(result_.most_messages, c.messages_in);
      if (over_ && *over_ != 0)
        result_.greatest_share =
            std::max(result_.greatest_share,
                     static_cast<double>(each->busy_ns) / static_cast<double>(*over_));
      if (each->is_dead || !each->node.why_failed()) continue;
      result_.failed = each->node.why_failed();
      result_.failure_known_ns =
          std::max(result_.failure_known_ns,
                   static_cast<double>(each->clock) - static_cast<double>(settings_.dies->at_ns));
    }
  }

  const simulation_settings& settings_;
  lab::rng random_;  // of the network
  std::vector<std::unique_ptr<member>> members_;
  std::priority_queue<event, std::vector<event>, std::greater<>> events_;
  std::uint64_t order_ = 0, handled_ = 0;
  std::vector<letter> letters_;  // on the way or in an inbox
  std::vector<std::uint32_t> free_letters_;
  simulation_result result_;
  std::optional<std::uint64_t> began_, over_;
  std::uint64_t last_item_ = 0;  // when it was done
  rank have_worked_ = 0;
  std::size_t living_ = 0;  // nodes before this one are dead or have finished
};

}  // namespace

simulation_result simulate(const simulation_settings& settings, const work_maker& make_work,
                           std::unique_ptr<work>* result,
                           const std::function<void(std::uint64_t)>& progress) {
  simulation run(settings, make_work);
  auto figures = run.run(progress);
  if (result != nullptr) *result = run.take_result();
  return figures;
}

double random_stealing_bound_ns(double work_ns, rank nodes, double latency_ns) {
  const double rounds = std::log2(std::max(1.0, work_ns / (2 * latency_ns)));
  return work_ns / nodes + 16.12 * latency_ns * rounds + 3 * latency_ns;
}

}  // namespace heist::inline v0::cluster::simulated
