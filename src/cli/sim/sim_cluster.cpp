#include "cli/sim/sim_cluster.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "cli/cli.hpp"
#include "cli/progress.hpp"
#include "cluster/simulated/units_bag.hpp"
#include "lab/catalog/spec.hpp"
#include "workloads/uts/tree_bag.hpp"

namespace heist::cli {

namespace {

namespace simulated = cluster::simulated;

// What is computed: how it begins, and whether the result is right.
class cluster_work {
 public:
  virtual ~cluster_work() = default;
  [[nodiscard]] virtual std::unique_ptr<cluster::work> make(cluster::rank node) const = 0;
  // What is wrong with the result; "" if nothing is.
  [[nodiscard]] virtual std::string fault_of(cluster::work& result) const = 0;
};

class units_work final : public cluster_work {
 public:
  explicit units_work(std::uint64_t units) : units_(units) {}

  [[nodiscard]] std::unique_ptr<cluster::work> make(cluster::rank node) const override {
    const simulated::units_bag bag{node == 0 ? units_ : 0, 0};
    return std::make_unique<cluster::work_of<simulated::units_bag>>(bag);
  }
  [[nodiscard]] std::string fault_of(cluster::work& result) const override {
    const auto done = dynamic_cast<cluster::work_of<simulated::units_bag>&>(result).get().done;
    return done == units_ ? "" : fmt::format("{} of {} items were processed", done, units_);
  }

 private:
  std::uint64_t units_;
};

class tree_work final : public cluster_work {
 public:
  explicit tree_work(const workloads::sample_tree& sample)
      : published_(sample.published), tree_(sample.parameters) {}

  [[nodiscard]] std::unique_ptr<cluster::work> make(cluster::rank node) const override {
    return std::make_unique<cluster::work_of<workloads::tree_bag>>(
        node == 0 ? workloads::tree_bag::whole(tree_) : workloads::tree_bag(tree_));
  }
  [[nodiscard]] std::string fault_of(cluster::work& result) const override {
    const auto found = dynamic_cast<cluster::work_of<workloads::tree_bag>&>(result).get().counts();
    return found.nodes == published_.nodes
               ? ""
               : fmt::format("{} nodes, but published are {}", found.nodes, published_.nodes);
  }

 private:
  workloads::published_counts published_;
  workloads::tree tree_;
};

std::unique_ptr<cluster_work> make_work(const std::string& text) {
  const lab::spec word(text);
  if (word.name() == "units") {
    const auto count = word.arguments({{"n", 1, std::uint64_t{1} << 50, 1'000'000}});
    return std::make_unique<units_work>(count.front());
  }
  if (word.name() == "uts")
    for (const auto& each : workloads::sample_trees())
      if (each.parameters.name == word.rest()) return std::make_unique<tree_work>(each);
  throw usage_error(fmt::format(
      "sim: --cluster runs uts:TREE, as uts:T1, and units:N, as units:1000000, not '{}'", text));
}

void set_stealing(cluster::node_settings& protocol, cluster_stealing kind) {
  using enum cluster_stealing;
  protocol.thieves = kind == random ? cluster::thief_rule::random : cluster::thief_rule::lifelines;
  protocol.victims =
      kind == distance ? cluster::victim_rule::distance : cluster::victim_rule::uniform;
}

class cluster_command {
 public:
  cluster_command(const sim_cluster_request& request, output& out, std::FILE* err)
      : request_(request),
        out_(out),
        line_(err),
        work_(make_work(request.dag)),
        columns_(cluster_columns(request)),
        rows_out_(out, request.form, columns_, cluster_views()) {}

  int operator()() {
    if (request_.form == report::form::text)
      out_.print("{}: latency {:g} us, within a host {:g} us; {}\n", request_.dag,
                 request_.settings.latency_ns / 1e3, request_.settings.host_latency_ns / 1e3,
                 mean_of(request_.seeds));
    rows_out_.print_head();
    for (const auto stealing : request_.stealing)
      for (const auto item_ns : request_.item_ns)
        for (const auto ranks : request_.processors) {
          rows_.push_back(simulate(ranks, item_ns, stealing));
          rows_out_.print(rows_.back());
        }
    if (!request_.svg.empty()) write_file(request_.svg, cluster_picture(request_, rows_));
    if (!request_.html.empty()) write_file(request_.html, cluster_page(request_, columns_, rows_));
    return success;
  }

 private:
  cluster_row simulate(std::uint32_t ranks, double item_ns, cluster_stealing stealing) {
    auto settings = request_.settings;
    settings.nodes = ranks;
    settings.item_ns = item_ns;
    if (!request_.has_chunk)
      settings.chunk_items =
          static_cast<std::uint64_t>(std::max(1.0, std::round(settings.latency_ns / item_ns)));
    set_stealing(settings.protocol, stealing);
    cluster_row row;
    row.ranks = ranks;
    row.item_ns = item_ns;
    row.stealing = stealing;
    for (std::uint64_t i = 0; i < request_.seeds; ++i) {
      settings.protocol.seed = request_.first_seed + i;
      add(row, run(settings, row));
    }
    line_.clear();
    return row;
  }

  simulated::simulation_result run(const simulated::simulation_settings& settings,
                                   const cluster_row& row) {
    std::unique_ptr<cluster::work> end;
    const auto found = simulated::simulate(
        settings, [&](cluster::rank node) { return work_->make(node); }, &end,
        [&](std::uint64_t items) {
          line_.show(fmt::format("{}: {} ranks, {}, seed {}: {} items", request_.dag, row.ranks,
                                 to_string(row.stealing), settings.protocol.seed, items));
        });
    line_.clear();
    if (found.failed)
      throw resource_error(fmt::format("{}: rank {}: {}; all others know {:.3f} ms after its death",
                                       request_.dag, found.failed->at, found.failed->text,
                                       found.failure_known_ns / 1e6));
    if (const auto fault = work_->fault_of(*end); !fault.empty())
      throw std::logic_error(fmt::format("{}: {}", request_.dag, fault));
    return found;
  }

  void add(cluster_row& to, const simulated::simulation_result& r) const {
    const auto work_ns = static_cast<double>(r.items) * to.item_ns;
    to.items = r.items;
    to.bound_ns =
        simulated::random_stealing_bound_ns(work_ns, to.ranks, request_.settings.latency_ns);
    to.time_ns.add(r.time_ns);
    to.efficiency.add(work_ns / to.ranks / r.time_ns);
    if (r.ramp_up_ns) to.ramp_up_ns.add(*r.ramp_up_ns);
    to.termination_ns.add(r.termination_ns);
    to.steals.add(static_cast<double>(r.sums.loot_in));
    to.gifts.add(static_cast<double>(r.sums.gifts_in));
    to.failed.add(static_cast<double>(r.sums.refusals));
    to.messages.add(static_cast<double>(r.sums.messages_in));
    to.most_messages.add(static_cast<double>(r.most_messages));
    to.busiest_share.add(r.greatest_share);
    to.waves.add(static_cast<double>(r.waves));
    to.snapshots.add(static_cast<double>(r.snapshots));
  }

  const sim_cluster_request& request_;
  output& out_;
  progress line_;
  std::unique_ptr<cluster_work> work_;
  report::columns<cluster_row> columns_;
  row_output<cluster_row> rows_out_;
  std::vector<cluster_row> rows_;
};

}  // namespace

int simulate_cluster(const sim_cluster_request& request, output& out, std::FILE* err) {
  return cluster_command(request, out, err)();
}

}  // namespace heist::cli
