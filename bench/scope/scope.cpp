// Compares the cost of a spawn with that of a fork: in fib, where every call opens a scope and
// spawns once, and in a loop that spawns functions which do next to nothing.
#include <deque>

#include <fmt/format.h>

#include "bench/fork_join/fib.hpp"
#include "bench/rounds.hpp"
#include "bench/scope/spawned.hpp"

namespace heist::bench {

namespace {

using workloads::integer_option;

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {integer_option("n", "which Fibonacci number", quick ? 18 : 32, 2, 60),
          integer_option("spawns", "of the loop, an even number", quick ? 10'000 : 10'000'000, 2,
                         1'000'000'000)};
}

// Contestants that do the same thing on one pool; the others are compared with the first.
class group {
 public:
  group(contest& turns, pool& on, std::string what, std::uint64_t expected, std::uint64_t spawns)
      : turns_(turns), on_(on), what_(std::move(what)), expected_(expected), spawns_(spawns) {}

  void add(const std::string& how, std::function<std::uint64_t()> function) {
    const auto name = fmt::format("{}, {}", what_, how);
    members_.push_back(&turns_.add(name, [=, this, function = std::move(function)] {
      return time_checked(name, expected_, [&] { return on_.run([&] { return function(); }); });
    }));
  }

  [[nodiscard]] samples to_forks(std::size_t which) const {
    return ratio(members_[which]->results, members_[0]->results);
  }

  void append_rows(std::vector<row>& rows) const {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const auto& results = members_[i]->results;
      rows.push_back({members_[i]->name,
                      {{"time", "s", results},
                       {"each", "ns", scaled(results, 1e9 / static_cast<double>(spawns_))},
                       {"to forks", "", to_forks(i)}},
                      {}});
    }
  }

 private:
  contest& turns_;
  pool& on_;
  std::string what_;
  std::uint64_t expected_;
  std::uint64_t spawns_;
  std::vector<contestant*> members_;
};

results run(const workloads::option_values& values, const settings& with) {
  const auto n = static_cast<std::uint64_t>(values.integer("n"));
  const auto spawns = static_cast<std::uint64_t>(values.integer("spawns")) / 2 * 2;
  const unsigned workers = workers_of(with);
  whole_pool one({.workers = 1});
  whole_pool many({.workers = workers});

  contest turns;
  std::deque<group> groups;
  for (auto* const on : {&one, &many}) {
    if (on == &many && workers == 1) break;
    const auto p = fmt::format("{} worker{}", on->workers(), on->workers() == 1 ? "" : "s");
    auto& fib = groups.emplace_back(turns, *on, fmt::format("fib({}), {}", n, p),
                                    fib_by_addition(n), forks_of_fib(n));
    fib.add("forks", [n] { return forked::fib(n); });
    fib.add("spawns", [n] { return spawned::fib(n); });
    fib.add("spawns of children", [n] { return spawned::fib_by_children(n); });
    auto& loop =
        groups.emplace_back(turns, *on, fmt::format("loop of {}, {}", spawns, p), spawns, spawns);
    loop.add("forks", [spawns] { return spawned::loop_of_forks(spawns); });
    loop.add("spawns",
             [spawns] { return spawned::loop_of_spawns(spawns, spawn_kind::continuation); });
    loop.add("spawns of children",
             [spawns] { return spawned::loop_of_spawns(spawns, spawn_kind::child); });
  }
  turns.play(with);

  results result;
  result.title = fmt::format("spawns beside forks; {} rounds", with.repeat);
  for (const auto& each : groups) each.append_rows(result.rows);
  result.targets = {{"fib, 1 worker: a spawn with its scope to a fork", "", bound::at_most, 4,
                     groups[0].to_forks(1).median(), ""},
                    {"loop, 1 worker: a spawn to a fork", "", bound::at_most, 2.5,
                     groups[1].to_forks(1).median(), ""}};
  result.notes = {
      "loop, forks: one fork for two functions; children that find no place on the deque are "
      "calls"};
  return result;
}

}  // namespace

benchmark scope_benchmark() {
  return {"scope", "spawns beside forks, in fib and in a loop", &options, &run};
}

}  // namespace heist::bench
