// The charts and the page of `heist sim --cluster`.
#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "cli/sim/sim_cluster.hpp"
#include "report/chart.hpp"
#include "report/page.hpp"

namespace heist::cli {

namespace {

std::string time_text(double ns) {
  if (ns < 1e3) return fmt::format("{:g} ns", ns);
  if (ns < 1e6) return fmt::format("{:g} us", ns / 1e3);
  return fmt::format("{:g} ms", ns / 1e6);
}

// The time without any loss.
double ideal_ns(const cluster_row& row) {
  return static_cast<double>(row.items) * row.item_ns / row.ranks;
}

class charts {
 public:
  charts(const sim_cluster_request& request, const std::vector<cluster_row>& rows)
      : request_(request), rows_(rows) {}

  [[nodiscard]] report::chart efficiency() const {
    report::chart result =
        against_ranks("Efficiency", "share of the ranks' time, %", &cluster_row::efficiency, 100);
    result.y.scale = report::axis_scale::linear;
    result.y.least = 0;
    result.y.greatest = 100;
    report::series bound{"bound of random stealing, items of " + time_text(rows_.front().item_ns),
                         report::series_style::bound};
    for (const auto& row : rows_)
      if (row.stealing == rows_.front().stealing && row.item_ns == rows_.front().item_ns)
        bound.points.push_back(
            {static_cast<double>(row.ranks), 100 * ideal_ns(row) / row.bound_ns});
    result.all.push_back(bound);
    return result;
  }

  // A line for each number of ranks; with several ways to steal, a line for each of those with the
  // most ranks.
  [[nodiscard]] report::chart grain() const {
    report::chart result;
    result.title = "Efficiency against grain: " + request_.dag;
    result.x = {"time of an item, ns", report::axis_scale::log10};
    result.y = {"share of the ranks' time, %", report::axis_scale::linear, 0, 100};
    const auto& all = request_.processors;
    const auto first = request_.stealing.size() > 1 ? all.end() - 1 : all.begin();
    for (const auto stealing : request_.stealing)
      for (auto ranks = first; ranks != all.end(); ++ranks) {
        report::series line{fmt::format("{} ranks, {}", *ranks, to_string(stealing))};
        for (const auto& row : rows_)
          if (row.stealing == stealing && row.ranks == *ranks)
            line.points.push_back({row.item_ns, 100 * row.efficiency.mean});
        result.all.push_back(line);
      }
    return result;
  }

  // A mean of each row, times `factor`, with a line for each way to steal and time of an item.
  [[nodiscard]] report::chart against_ranks(std::string_view title, std::string_view y,
                                            report::summary cluster_row::*of, double factor) const {
    report::chart result;
    result.title = fmt::format("{}: {}", title, request_.dag);
    result.x = {"ranks", report::axis_scale::log2};
    result.y = {std::string(y), report::axis_scale::log10};
    for (const auto stealing : request_.stealing)
      for (const auto item_ns : request_.item_ns) {
        report::series line{
            request_.item_ns.size() == 1
                ? std::string(to_string(stealing))
                : fmt::format("{}, items of {}", to_string(stealing), time_text(item_ns))};
        for (const auto& row : rows_)
          if (row.stealing == stealing && row.item_ns == item_ns && (row.*of).count != 0)
            line.points.push_back({static_cast<double>(row.ranks), factor * (row.*of).mean});
        result.all.push_back(line);
      }
    return result;
  }

 private:
  const sim_cluster_request& request_;
  const std::vector<cluster_row>& rows_;
};

constexpr std::string_view legend =
    "Time goes from the first rank's begin until it knows that nothing is left. The bound is that "
    "of "
    "Gast, Khatiri, Trystram and Wagner (2021) on the mean time of stealing from random victims, "
    "for "
    "independent items and the latency between hosts: W/p + 16.12 l log2(W/(2 l)) + 3 l. Ramp-up: "
    "until nine of ten ranks had worked. End: from the last item until the first rank knows. Most "
    "of "
    "one: the messages that the rank with the most received.";

}  // namespace

std::string cluster_picture(const sim_cluster_request& request,
                            const std::vector<cluster_row>& rows) {
  return report::to_svg(charts(request, rows).efficiency());
}

std::string cluster_page(const sim_cluster_request& request,
                         const report::columns<cluster_row>& columns,
                         const std::vector<cluster_row>& rows) {
  const charts draw(request, rows);
  report::page page(fmt::format("{} on a simulated cluster", request.dag), request.command);
  const auto host = request.settings.protocol.nodes_each_host;
  page.paragraph(fmt::format(
      "The protocol that runs over MPI, on a network of which only the times are simulated. A "
      "message takes {} from host to host and {} within one; {} rank{} a host; mean of {} seed{}.",
      time_text(request.settings.latency_ns), time_text(request.settings.host_latency_ns), host,
      host == 1 ? " is" : "s are", request.seeds, request.seeds == 1 ? "" : "s"));
  if (request.processors.size() > 1) {  // a curve needs two points
    page.add(draw.efficiency(), "What part of all ranks' time went into items.");
    page.add(draw.against_ranks("Ramp-up", "time, ms", &cluster_row::ramp_up_ns, 1e-6),
             "Until nine of ten ranks had worked.");
    page.add(draw.against_ranks("The end", "time, ms", &cluster_row::termination_ns, 1e-6),
             "From the last item until the first rank knows that nothing is left: two waves over a "
             "tree with four children a node.");
    page.add(draw.against_ranks("Refused requests", "requests", &cluster_row::failed, 1),
             "Thieves that stop asking and wait on their lifelines are refused less often.");
    page.add(draw.against_ranks("The rank with the most messages", "messages",
                                &cluster_row::most_messages, 1),
             "Work begins at one rank; it should not become the place where all meet.");
  }
  if (request.item_ns.size() > 1)
    page.add(draw.grain(), "Small items on many ranks cost more to spread than to process.");
  return page
      .add(columns.page_table({"ranks", "stealing", "item_ns", "time_ms", "efficiency", "bound_ms",
                               "to_bound", "ramp_up_ms", "termination_ms", "steals", "gifts",
                               "failed", "messages", "most_messages", "waves", "snapshots"},
                              rows))
      .paragraph(legend)
      .data(columns.json_array(cluster_views().json, rows))
      .html();
}

}  // namespace heist::cli
