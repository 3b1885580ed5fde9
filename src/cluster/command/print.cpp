#include "cluster/command/print.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace heist::cluster_command {

namespace {

double idle_share(const cluster::rank_summary& each) {
  if (each.elapsed_ns == 0) return 0;
  return 1 - static_cast<double>(each.working_ns) / static_cast<double>(each.elapsed_ns);
}

double mean_trip_us(const cluster::rank_summary& each) {
  if (each.round_trips == 0) return 0;
  return static_cast<double>(each.round_trip_ns) / static_cast<double>(each.round_trips) / 1e3;
}

}  // namespace

void print_text(const cluster::context& in, const outcome& result, double seconds, std::FILE* out) {
  fmt::print(out, "{}: {}\n", result.name, result.text);
  fmt::print(out, "{:.3f} s on {} rank{}\n\n", seconds, in.size(), in.size() == 1 ? "" : "s");
  std::size_t width = 4;
  for (unsigned i = 0; i < in.size(); ++i) width = std::max(width, in.host(i).size());
  fmt::print(out, "{:>5} {:<{}} {:>7} {:>14} {:>16} {:>13} {:>19} {:>17} {:>7} {:>9}\n", "rank",
             "host", width, "workers", result.item, "steals in/out", "gifts in/out",
             "requests/refused", "messages in/out", "idle", "trip");
  for (unsigned i = 0; i < in.summaries().size(); ++i) {
    const auto& each = in.summaries()[i];
    fmt::print(out, "{:>5} {:<{}} {:>7} {:>14} {:>16} {:>13} {:>19} {:>17} {:>6.1f}% {:>6.1f} us\n",
               i, in.host(i), width, each.workers, each.items,
               fmt::format("{}/{}", each.steals_in, each.steals_out),
               fmt::format("{}/{}", each.gifts_in, each.gifts_out),
               fmt::format("{}/{}", each.requests, each.refusals),
               fmt::format("{}/{}", each.messages_in, each.messages_out), 100 * idle_share(each),
               mean_trip_us(each));
  }
}

}  // namespace heist::cluster_command
