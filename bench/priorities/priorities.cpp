// Measures how long a submitted function waits until it begins while a pool is flooded: thousands
// of functions of equal length wait at its entry, and every millisecond or so one more comes, whose
// wait is measured.
//
// Without priorities it waits behind all of them. With a higher one it waits until a worker ends
// what it runs; with a lower one for a few functions of the flood at most, so it does not starve.
// oneTBB has the same by arenas of different priority. What the levels cost where nobody needs them
// is shown by functions that do nothing.
#include <array>

#include <fmt/format.h>

#include <heist/future.hpp>

#include "bench/priorities/onetbb_flood.hpp"
#include "bench/priorities/wait_under_flood.hpp"
#include "bench/rounds.hpp"

namespace heist::bench {

namespace {

using workloads::integer_option;

constexpr double high_limit = 3;  // lengths of a function
constexpr double low_limit = 10;  // the bound of takes, served by one worker

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {integer_option("flood", "functions that are submitted at once", quick ? 500 : 10'000, 1,
                         1'000'000),
          integer_option("length-us", "time that each of them takes", 20, 1, 1'000'000),
          integer_option("samples", "functions whose wait is measured, in each round",
                         quick ? 3 : 50, 1, 100'000),
          integer_option("every-us", "time between two of these", 1000, 1, 10'000'000),
          integer_option("empty", "functions that do nothing, in each round", quick ? 100 : 100'000,
                         1, 10'000'000)};
}

// A round with functions of these priorities.
void flood_round(pool& on, const flood& f, priority flooding, priority measured, samples& us) {
  std::vector<future<void>> all;
  all.reserve(f.size + f.samples);
  const auto into = [&](priority level) {
    return [&, level](auto&& function) { all.push_back(on.submit(level, function)); };
  };
  const auto end = [&] {
    for (future<void>& one : all) one.get();
  };
  wait_under_flood(f, into(flooding), into(measured), end, us);
}

// Seconds for each of n functions that do nothing, of one level or of all three in turn.
double empty_round(pool& on, std::size_t n, bool is_mixed) {
  constexpr std::array levels = {priority::normal, priority::high, priority::low};
  std::vector<future<void>> all;
  all.reserve(n);
  return seconds_of([&] {
           for (std::size_t i = 0; i < n; ++i)
             all.push_back(on.submit(levels[is_mixed ? i % levels.size() : 0], [] {}));
           for (future<void>& one : all) one.get();
         }) /
         static_cast<double>(n);
}

results run(const workloads::option_values& values, const settings& with) {
  const flood f{.size = values.size("flood"),
                .length = std::chrono::microseconds(values.integer("length-us")),
                .samples = values.size("samples"),
                .every = std::chrono::microseconds(values.integer("every-us"))};
  const std::size_t empty = values.size("empty");
  const unsigned workers = workers_of(with);
  whole_pool on({.workers = workers});
  const auto rival = onetbb_flood(workers);
  samples plain, high, low, rival_plain, rival_high, rival_low;
  samples one_level_us, mixed_us;
  for (unsigned round = 1; round <= with.repeat; ++round) {
    with.announce(fmt::format("round {} of {}", round, with.repeat));
    flood_round(on, f, priority::normal, priority::normal, plain);
    flood_round(on, f, priority::normal, priority::high, high);
    flood_round(on, f, priority::high, priority::low, low);
    if (rival) {
      rival(f, priority::normal, priority::normal, rival_plain);
      rival(f, priority::normal, priority::high, rival_high);
      rival(f, priority::high, priority::low, rival_low);
    }
    one_level_us.add(empty_round(on, empty, false) * 1e6);
    mixed_us.add(empty_round(on, empty, true) * 1e6);
  }

  results result;
  result.title = fmt::format(
      "the wait of {} functions, one every {} us, under a flood of {} functions of {} us, {} "
      "rounds, {} workers",
      f.samples, f.every.count(), f.size, f.length.count(), with.repeat, workers);
  const auto wait = [&](std::string name, const samples& us) {
    if (us.empty()) return row{std::move(name), {}, "not in this build"};
    return row{std::move(name),
               {{"wait", "us", us}, {"99 of 100", "us", samples({us.quantile(0.99)})}},
               {}};
  };
  result.rows = {wait("as all others", plain),
                 wait("high among normal ones", high),
                 wait("low among high ones", low),
                 wait("oneTBB, as all others", rival_plain),
                 wait("oneTBB, high among normal ones", rival_high),
                 wait("oneTBB, low among high ones", rival_low),
                 {"a function that does nothing", {{"time", "us", one_level_us}}, "all normal"},
                 {"the same, three levels in turn", {{"time", "us", mixed_us}}, {}}};
  const double length = static_cast<double>(f.length.count());
  const auto lengths = [&](const samples& us) { return us.median() / length; };
  result.targets = {
      {"wait of a high one, in lengths", "", bound::at_most, high_limit, lengths(high), ""},
      {"wait of a low one, in lengths", "", bound::at_most, low_limit, lengths(low), ""},
      {"three levels to one, nothing to do", "", bound::at_most, 1.05,
       ratio(mixed_us, one_level_us).median(), ""}};
  return result;
}

}  // namespace

benchmark priorities_benchmark() {
  return {"priorities", "how long submitted functions wait in a flooded pool, by priority",
          &options, &run};
}

}  // namespace heist::bench
