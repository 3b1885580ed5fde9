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
  fmt::print(out, "{:>5} {:<{}} {:>7} {:>14} {:>16} {:>13} {:>19} {:>17} {:>7} {:>9}\n", "rank", "host", width,
             "workers", result.item, "steals in/out", "gifts in/out", "requests/refused", "messages in/out",
             "idle", "trip");
  for (unsigned i = 0; i < in.summaries().size(); ++i) {
    const auto& each = in.summaries()[i];
    fmt::print(out, "{:>5} {:<{}} {:>7} {:>14} {:>16} {:>13} {:>19} {:>17} {:>6.1f}% {:>6.1f} us\n", i, in.host(i),
               width, each.workers, each.items, fmt::format("{}/{}", each.steals_in, each.steals_out),
               fmt::format("{}/{}", each.gifts_in, each.gifts_out),
               fmt::format("{}/{}", each.requests, each.refusals),
               fmt::format("{}/{}", each.messages_in, each.messages_out), 100 * idle_share(each),
               mean_trip_us(each));
  }
}

// Host names are what gethostname() allows, and results have no quotes: nothing needs an escape.
void print_json(const cluster::context& in, const outcome& result, double seconds, std::FILE* out) {
  fmt::print(out, R"({{"program": "{}", "result": "{}", "correct": {}, "seconds": {:.6f}, "ranks": [)",
             result.name, result.text, result.mistake ? "false" : "true", seconds);
  for (unsigned i = 0; i < in.summaries().size(); ++i) {
    const auto& each = in.summaries()[i];
    fmt::print(out,
               R"({}{{"rank": {}, "host": "{}", "workers": {}, "{}": {}, "steals_in": {}, "steals_out": {}, )"
               R"("gifts_in": {}, "gifts_out": {}, "requests": {}, "refusals": {}, "messages_in": {}, )"
               R"("messages_out": {}, "bytes_out": {}, "elapsed_ns": {}, "working_ns": {}, )"
               R"("round_trips": {}, "round_trip_ns": {}, "least_round_trip_ns": {}, "polls": {}, )"
               R"("polling_ns": {}}})",
               i == 0 ? "" : ", ", i, in.host(i), each.workers, result.item, each.items, each.steals_in,
               each.steals_out, each.gifts_in, each.gifts_out, each.requests, each.refusals,
               each.messages_in, each.messages_out, each.bytes_out, each.elapsed_ns, each.working_ns,
               each.round_trips, each.round_trip_ns, each.least_round_trip_ns, each.polls, each.polling_ns);
  }
  fmt::print(out, "]}}\n");
}

}  // namespace heist::cluster_command
