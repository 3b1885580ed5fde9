// heist sim --cluster: the protocol between the nodes of a cluster, on a network whose times are
// simulated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/row_output.hpp"
#include "cli/sim/sim_request.hpp"
#include "cluster/simulated/simulation.hpp"
#include "report/columns.hpp"
#include "report/statistics.hpp"

namespace heist::cli {

// The results for one number of ranks, one time of an item and one way to steal, over all seeds.
struct cluster_row {
  std::uint32_t ranks = 0;
  double item_ns = 0;
  cluster_stealing stealing = cluster_stealing::lifelines;
  std::uint64_t items = 0;
  double bound_ns = 0;  // on the mean time of random stealing, from the literature
  report::summary time_ns, efficiency, ramp_up_ns, termination_ns, steals, gifts, failed, messages,
      most_messages, busiest_share, waves, snapshots;
};

[[nodiscard]] std::string_view to_string(cluster_stealing kind);

// `request` must outlive the columns.
[[nodiscard]] report::columns<cluster_row> cluster_columns(const sim_cluster_request& request);
[[nodiscard]] row_views cluster_views();

// The chart of efficiency against ranks, and the page with all of them.
[[nodiscard]] std::string cluster_picture(const sim_cluster_request& request,
                                          const std::vector<cluster_row>& rows);
[[nodiscard]] std::string cluster_page(const sim_cluster_request& request,
                                       const report::columns<cluster_row>& columns,
                                       const std::vector<cluster_row>& rows);

int simulate_cluster(const sim_cluster_request& request, output& out, std::FILE* err);

}  // namespace heist::cli
