#include "bench/rounds.hpp"

#include <thread>

#include <fmt/format.h>

#include <heist/error.hpp>

namespace heist::bench {

namespace {

constexpr auto pause_between_turns = std::chrono::milliseconds(20);

}  // namespace

void contest::play(const settings& with) {
  for (unsigned round = 1; round <= with.repeat; ++round) {
    for (auto& each : contestants_) {
      with.announce(fmt::format("round {} of {}, {}", round, with.repeat, each.name));
      each.results.add(each.turn());
      std::this_thread::sleep_for(pause_between_turns);
    }
  }
}

void check_result(const std::string& name, std::uint64_t expected, std::uint64_t found) {
  if (found != expected)
    throw wrong_result(fmt::format("{}: {} instead of {}", name, found, expected));
}

double time_checked(const std::string& name, std::uint64_t expected,
                    const std::function<std::uint64_t()>& function) {
  std::uint64_t found = 0;
  const double seconds = seconds_of([&] { found = function(); });
  check_result(name, expected, found);
  return seconds;
}

unsigned workers_of(const settings& with) {
  return with.workers != 0 ? with.workers : pool{}.workers();
}

whole_pool::whole_pool(const pool_config& config) : pool(config) {
  if (missing_workers() > 0)
    throw resource_error(fmt::format("the system refused {} of {} threads", missing_workers(),
                                     missing_workers() + workers()));
}

}  // namespace heist::bench
