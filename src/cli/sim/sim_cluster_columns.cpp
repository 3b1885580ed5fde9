// Declares each column of `heist sim --cluster` once; the formats show some of them.
#include <utility>
#include <vector>

#include "cli/sim/sim_cluster.hpp"

namespace heist::cli {

using report::value;

std::string_view to_string(cluster_stealing kind) {
  switch (kind) {
    case cluster_stealing::lifelines:
      return "lifelines";
    case cluster_stealing::distance:
      return "distance";
    case cluster_stealing::random:
      break;
  }
  return "random";
}

namespace {

using row = cluster_row;

// A mean in milliseconds; empty if there is none.
report::column<row> milliseconds(std::string key, std::string heading, report::summary row::*of,
                                 std::size_t width) {
  return {std::move(key),
          std::move(heading),
          [of](const row& r) { return (r.*of).count == 0 ? value() : value((r.*of).mean / 1e6); },
          width,
          {report::number_format::general, 4}};
}

report::column<row> mean(std::string key, std::string heading, report::summary row::*of,
                         std::size_t width = 0) {
  return {std::move(key),
          std::move(heading),
          [of](const row& r) { return value((r.*of).mean); },
          width,
          {.digits = 0}};
}

}  // namespace

report::columns<cluster_row> cluster_columns(const sim_cluster_request& request) {
  constexpr report::number_format percent{report::number_format::percent, 1};
  const auto& settings = request.settings;
  return report::columns<row>({
      {"dag", "", [&](const row&) { return value(request.dag); }},
      {"latency_ns", "", [&](const row&) { return value(settings.latency_ns); }},
      {"near_ns", "", [&](const row&) { return value(settings.host_latency_ns); }},
      {"host", "",
       [&](const row&) { return value(std::uint64_t{settings.protocol.nodes_each_host}); }},
      {"first_seed", "", [&](const row&) { return value(request.first_seed); }},
      {"seeds", "runs", [](const row& r) { return value(std::uint64_t{r.time_ns.count}); }},
      {"items", "items", [](const row& r) { return value(r.items); }},
      {"ranks", "ranks", [](const row& r) { return value(std::uint64_t{r.ranks}); }, 8},
      {"stealing", "stealing",
       [](const row& r) { return value(std::string(to_string(r.stealing))); }, 11},
      {"item_ns",
       "item, ns",
       [](const row& r) { return value(r.item_ns); },
       10,
       {report::number_format::general, 4}},
      milliseconds("time_ms", "time, ms", &row::time_ns, 11),
      {"efficiency", "efficiency", [](const row& r) { return value(r.efficiency.mean); }, 12,
       percent},
      {"bound_ms",
       "bound, ms",
       [](const row& r) { return value(r.bound_ns / 1e6); },
       11,
       {report::number_format::general, 4}},
      {"to_bound",
       "time/bound",
       [](const row& r) { return value(r.time_ns.mean / r.bound_ns); },
       12,
       {.digits = 3}},
      milliseconds("ramp_up_ms", "ramp-up, ms", &row::ramp_up_ns, 13),
      milliseconds("termination_ms", "end, ms", &row::termination_ns, 10),
      mean("steals", "steals", &row::steals, 12),
      mean("gifts", "gifts", &row::gifts, 12),
      mean("failed", "refused", &row::failed, 12),
      mean("messages", "messages", &row::messages, 11),
      mean("most_messages", "most of one", &row::most_messages, 13),
      {"busiest_share", "busiest", [](const row& r) { return value(r.busiest_share.mean); }, 9,
       percent},
      mean("waves", "waves", &row::waves),
      mean("snapshots", "snapshots", &row::snapshots),
  });
}

row_views cluster_views() {
  return {.text = {"ranks", "stealing", "item_ns", "time_ms", "efficiency", "to_bound",
                   "ramp_up_ms", "termination_ms", "steals", "gifts", "failed", "most_messages"},
          .csv = {"ranks", "stealing", "item_ns", "seeds", "items", "time_ms", "efficiency",
                  "bound_ms", "to_bound", "ramp_up_ms", "termination_ms", "steals", "gifts",
                  "failed", "messages", "most_messages", "busiest_share", "waves", "snapshots"},
          .json = {"dag",           "latency_ns",    "near_ns",    "host",
                   "first_seed",    "seeds",         "items",      "ranks",
                   "stealing",      "item_ns",       "time_ms",    "efficiency",
                   "bound_ms",      "to_bound",      "ramp_up_ms", "termination_ms",
                   "steals",        "gifts",         "failed",     "messages",
                   "most_messages", "busiest_share", "waves",      "snapshots"}};
}

}  // namespace heist::cli
