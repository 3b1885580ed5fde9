#include "tests/soak/settings.hpp"

#include <charconv>
#include <iterator>

#include "tests/soak/program.hpp"

namespace heist_soak {

namespace {

template <class Kind, std::size_t N>
bool parse_kind(std::optional<Kind>& into, const Kind (&all)[N], std::string_view name) {
  for (const Kind k : all)
    if (heist::to_string(k) == name) into = k;
  return into.has_value();
}

bool parse_workers(std::optional<unsigned>& into, std::string_view text) {
  unsigned n = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (problem != std::errc() || end != text.data() + text.size() || n == 0 || n > 1024)
    return false;
  into = n;
  return true;
}

// Draws one setting after the other.
class drawing {
 public:
  explicit drawing(std::uint64_t seed) : state_(seed) {}
  template <class T, std::size_t N>
  T from(const T (&all)[N]) {
    return all[(state_ = mixed(state_)) % N];
  }

 private:
  std::uint64_t state_;
};

}  // namespace

bool fixed_choices::parse(std::string_view text) {
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    text.remove_prefix(one.size() == text.size() ? text.size() : one.size() + 1);
    const std::size_t equals = one.find('=');
    if (equals == std::string_view::npos) return false;
    const std::string_view name = one.substr(0, equals);
    const std::string_view value = one.substr(equals + 1);
    const bool is_known =
        name == "workers"  ? parse_workers(workers, value)
        : name == "deque"  ? parse_kind(deque, heist::all_deque_kinds, value)
        : name == "join"   ? parse_kind(join, heist::all_join_kinds, value)
        : name == "spawn"  ? parse_kind(spawn, heist::all_spawn_kinds, value)
        : name == "victim" ? parse_kind(victim, heist::all_victim_kinds, value)
        : name == "idle"   ? parse_kind(idle, heist::all_idle_kinds, value)
        : name == "yield"  ? parse_kind(yield, heist::all_yield_kinds, value)
        : name == "stats"  ? parse_kind(stats, heist::all_stats_kinds, value)
                           : name == "order" && parse_kind(order, heist::all_queue_orders, value);
    if (!is_known) return false;
  }
  return true;
}

heist::pool_config draw_config(std::uint64_t seed, const fixed_choices& fixed) {
  constexpr unsigned workers[] = {1, 2, 3, 8, 32};
  // Most pools have room for all forks; in a shallow one some forks are calls.
  constexpr std::size_t depths[] = {0, 0, 0, 0, 0, 0, 2, 6};
  drawing draw(seed);
  heist::pool_config c;
  c.workers = fixed.workers.value_or(draw.from(workers));
  c.deque = fixed.deque.value_or(draw.from(heist::all_deque_kinds));
  c.join = fixed.join.value_or(draw.from(heist::all_join_kinds));
  c.spawn = fixed.spawn.value_or(draw.from(heist::all_spawn_kinds));
  c.victim = fixed.victim.value_or(draw.from(heist::all_victim_kinds));
  c.idle = fixed.idle.value_or(draw.from(heist::all_idle_kinds));
  c.fork_depth = draw.from(depths);
  c.order = fixed.order.value_or(draw.from(heist::all_queue_orders));
  // Mostly the default: the others make a pool of 32 workers on two processors slow.
  constexpr heist::yield_kind yields[] = {
      heist::yield_kind::paced,  heist::yield_kind::paced,     heist::yield_kind::paced,
      heist::yield_kind::paced,  heist::yield_kind::none,      heist::yield_kind::to_any,
      heist::yield_kind::to_any, heist::yield_kind::to_random, heist::yield_kind::to_all};
  c.yield = fixed.yield.value_or(draw.from(yields));
  constexpr heist::stats_kind stats[] = {heist::stats_kind::slow_path, heist::stats_kind::slow_path,
                                         heist::stats_kind::full};
  c.stats = fixed.stats.value_or(draw.from(stats));
  return c;
}

std::string as_arguments(const heist::pool_config& c) {
  std::string text = "workers=" + std::to_string(c.workers);
  for (const auto& [name, value] : {std::pair(",deque=", heist::to_string(c.deque)),
                                    {",join=", heist::to_string(c.join)},
                                    {",spawn=", heist::to_string(c.spawn)},
                                    {",victim=", heist::to_string(c.victim)},
                                    {",idle=", heist::to_string(c.idle)},
                                    {",yield=", heist::to_string(c.yield)},
                                    {",order=", heist::to_string(c.order)},
                                    {",stats=", heist::to_string(c.stats)}})
    text.append(name).append(value);
  return text;
}

}  // namespace heist_soak
