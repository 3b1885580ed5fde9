// What the pools of a round are, and what of it is fixed by the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "heist/config.hpp"

namespace heist_soak {

// What isn't fixed is drawn from the round's seed.
struct fixed_choices {
  std::optional<unsigned> workers;
  std::optional<heist::deque_kind> deque;
  std::optional<heist::join_kind> join;
  std::optional<heist::spawn_kind> spawn;
  std::optional<heist::victim_kind> victim;
  std::optional<heist::idle_kind> idle;

  // From deque=abp,workers=8 and so on; false for a name or a value that there isn't.
  [[nodiscard]] bool parse(std::string_view text);
};

heist::pool_config draw_config(std::uint64_t seed, const fixed_choices& fixed);

// As parse() takes it.
std::string to_string(const heist::pool_config& c);

}  // namespace heist_soak
