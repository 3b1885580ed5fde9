// The settings of a round's pools, some of which the command line may fix.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "heist/config.hpp"

namespace heist_soak {

// Settings that are not fixed are drawn from the round's seed.
struct fixed_choices {
  std::optional<unsigned> workers;
  std::optional<heist::deque_kind> deque;
  std::optional<heist::join_kind> join;
  std::optional<heist::spawn_kind> spawn;
  std::optional<heist::victim_kind> victim;
  std::optional<heist::idle_kind> idle;
  std::optional<heist::yield_kind> yield;
  std::optional<heist::queue_order> order;
  std::optional<heist::stats_kind> stats;

  // Reads deque=abp,workers=8 and so on; returns false for an unknown name or value.
  [[nodiscard]] bool parse(std::string_view text);
};

heist::pool_config draw_config(std::uint64_t seed, const fixed_choices& fixed);

// The settings in the form that parse() reads.
std::string as_arguments(const heist::pool_config& c);

}  // namespace heist_soak
