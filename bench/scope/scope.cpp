// Compares the cost of a spawn with that of a fork: in fib, where every call opens a scope and
// spawns once; in loops that spawn functions which do next to nothing, all into one scope or ten
// into each; in skynet and n queens, where every node opens a scope.
#include <deque>

#include <fmt/format.h>

#include "bench/fork_join/fib.hpp"
#include "bench/rounds.hpp"
#include "bench/scope/spawned.hpp"
#include "bench/scope/trees.hpp"

namespace heist::bench {

namespace {

using workloads::integer_option;

// Of the numbers below n.
std::uint64_t sum_below(std::uint64_t n) { return n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n; }

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {integer_option("n", "which Fibonacci number", quick ? 18 : 32, 2, 60),
          integer_option("spawns", "of the loops, rounded up to tens", quick ? 10'000 : 10'000'000,
                         2, 1'000'000'000),
          integer_option("leaves", "of skynet's tree", quick ? 10'000 : 100'000'000, 1,
                         std::int64_t{1} << 32),
          integer_option("queens", "on as many rows", quick ? 9 : 14, 8, 20)};
}

// The contestants of each group, in the order in which they are added.
enum contestants : std::size_t { by_forks, by_continuations, by_children };

// Those that do the same thing on one pool; the others are compared with the first.
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
    return ratio(members_[which]->results, members_[by_forks]->results);
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

struct sizes {
  std::uint64_t n;
  std::uint64_t spawns;
  std::uint64_t leaves;
  unsigned queens;
};

// The groups on one pool, in the order of `place`.
enum place : std::size_t { in_fib, in_loop, in_scopes_of_ten, in_skynet, in_queens };

void add_groups(std::deque<group>& groups, contest& turns, pool& on, const sizes& of) {
  const auto add = [&](const std::string& what, std::uint64_t expected, std::uint64_t spawns,
                       const std::function<std::uint64_t()>& by_forks,
                       const std::function<std::uint64_t(spawn_kind)>& by_spawns) {
    const auto p = fmt::format("{}, {} worker{}", what, on.workers(), on.workers() == 1 ? "" : "s");
    auto& each = groups.emplace_back(turns, on, p, expected, spawns);
    each.add("forks", by_forks);
    each.add("spawns", [by_spawns] { return by_spawns(spawn_kind::continuation); });
    each.add("spawns of children", [by_spawns] { return by_spawns(spawn_kind::child); });
  };
  const auto [n, spawns, leaves, queens] = of;
  add(
      fmt::format("fib({})", n), fib_by_addition(n), forks_of_fib(n),
      [n = n] { return forked::fib(n); },
      [n = n](spawn_kind kind) {
        return kind == spawn_kind::child ? spawned::fib_by_children(n) : spawned::fib(n);
      });
  add(
      fmt::format("loop of {}", spawns), spawns, spawns,
      [m = spawns] { return spawned::loop_of_forks(m); },
      [m = spawns](spawn_kind kind) { return spawned::loop_of_spawns(m, kind); });
  add(
      fmt::format("loop of {} in scopes of ten", spawns), spawns, spawns,
      [m = spawns] { return spawned::loop_of_forks(m); },
      [m = spawns](spawn_kind kind) { return spawned::loop_of_scopes(m, kind); });
  add(
      fmt::format("skynet of {} leaves", leaves), sum_below(leaves), leaves,
      [m = leaves] { return spawned::skynet_by_forks(m); },
      [m = leaves](spawn_kind kind) { return spawned::skynet_by_spawns(m, kind); });
  const std::uint64_t boards = spawned::queens_serially(queens);
  add(
      fmt::format("{} queens", queens), boards, boards,
      [m = queens] { return spawned::queens_by_forks(m); },
      [m = queens](spawn_kind kind) { return spawned::queens_by_spawns(m, kind); });
}

results run(const workloads::option_values& values, const settings& with) {
  const auto ten = [](std::uint64_t n) { return (n + 9) / 10 * 10; };
  const sizes of{static_cast<std::uint64_t>(values.integer("n")),
                 ten(static_cast<std::uint64_t>(values.integer("spawns"))),
                 static_cast<std::uint64_t>(values.integer("leaves")),
                 static_cast<unsigned>(values.integer("queens"))};
  const unsigned workers = workers_of(with);
  whole_pool one({.workers = 1});
  whole_pool many({.workers = workers});

  contest turns;
  std::deque<group> groups;
  add_groups(groups, turns, one, of);
  if (workers != 1) add_groups(groups, turns, many, of);
  turns.play(with);

  results result;
  result.title = fmt::format("spawns beside forks; {} rounds", with.repeat);
  for (const auto& each : groups) each.append_rows(result.rows);
  const auto limit = [&](const char* what, place where, std::size_t which, double at_most) {
    result.targets.push_back(
        {what, "", bound::at_most, at_most, groups[where].to_forks(which).median(), ""});
  };
  limit("fib, 1 worker: a spawn with its scope to a fork", in_fib, by_continuations, 4);
  limit("loop, 1 worker: a spawn to a fork", in_loop, by_continuations, 2.5);
  limit("scopes of ten, 1 worker: a child to a fork", in_scopes_of_ten, by_children, 2);
  limit("skynet, 1 worker: children to forks", in_skynet, by_children, 1.45);
  limit("n queens, 1 worker: children to forks", in_queens, by_children, 1.1);
  if (workers != 1) {
    constexpr std::size_t groups_of_a_pool = in_queens + 1;
    const auto limit_of_many = [&](const char* what, place where, double at_most) {
      limit(what, static_cast<place>(groups_of_a_pool + where), by_children, at_most);
    };
    limit_of_many("skynet, all workers: children to forks", in_skynet, 1.5);
    limit_of_many("n queens, all workers: children to forks", in_queens, 1.1);
  }
  result.notes = {
      "loop, forks: one fork for two functions; children that find no place on the deque are "
      "calls",
      "n queens, each: for a board"};
  return result;
}

}  // namespace

benchmark scope_benchmark() {
  return {"scope", "spawns beside forks, in fib, loops, skynet and n queens", &options, &run};
}

}  // namespace heist::bench
