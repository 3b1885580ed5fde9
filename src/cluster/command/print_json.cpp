#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cluster/command/print.hpp"

namespace heist::cluster_command {

void print_json(const cluster::context& in, const outcome& result, double seconds, std::FILE* out) {
  using json = nlohmann::ordered_json;
  json all = {{"program", result.name},
              {"result", result.text},
              {"correct", !result.mistake},
              {"seconds", seconds},
              {"ranks", json::array()}};
  for (unsigned i = 0; i < in.summaries().size(); ++i) {
    const auto& each = in.summaries()[i];
    all["ranks"].push_back({{"rank", i},
                            {"host", in.host(i)},
                            {"workers", each.workers},
                            {result.item, each.items},
                            {"steals_in", each.steals_in},
                            {"steals_out", each.steals_out},
                            {"gifts_in", each.gifts_in},
                            {"gifts_out", each.gifts_out},
                            {"requests", each.requests},
                            {"refusals", each.refusals},
                            {"messages_in", each.messages_in},
                            {"messages_out", each.messages_out},
                            {"bytes_out", each.bytes_out},
                            {"elapsed_ns", each.elapsed_ns},
                            {"working_ns", each.working_ns},
                            {"round_trips", each.round_trips},
                            {"round_trip_ns", each.round_trip_ns},
                            {"least_round_trip_ns", each.least_round_trip_ns},
                            {"polls", each.polls},
                            {"polling_ns", each.polling_ns}});
  }
  // Words of files may be no UTF-8.
  fmt::print(out, "{}\n", all.dump(-1, ' ', false, json::error_handler_t::replace));
}

}  // namespace heist::cluster_command
