// How much work lies under an entry of a deque, by the entry's place, and how much thieves get: the
// oldest entry is the largest.
//
// The programs are trees of forks whose sizes are known: at each fork the first part runs, and the
// second waits on the deque. Each frame knows the one whose second part waits before its own, so
// the chain from a leaf up holds what its worker's deque holds, the newest entry first.
#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <memory>

#include <fmt/format.h>

#include <heist/fork_join.hpp>
#include <heist/pool.hpp>

#include "bench/rounds.hpp"
#include "workloads/hashing.hpp"

namespace heist::bench {

namespace {

using workloads::integer_option;

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {integer_option("leaves", "of each tree", quick ? 200 : 300'000, 2, 100'000'000),
          integer_option("work", "hashes that a leaf computes", quick ? 10 : 50, 0, 1'000'000),
          integer_option("every", "how many leaves lie between two looks at the deque",
                         quick ? 3 : 37, 1, 1'000'000)};
}

enum class shape { halves, fibonacci, uneven };
constexpr std::pair<shape, const char*> shapes[] = {
    {shape::halves, "halves"}, {shape::fibonacci, "0.62 to 0.38"}, {shape::uneven, "at random"}};

constexpr std::size_t places = 24;  // from the oldest entry on; the rest counts as the last

// Written by all workers. Relaxed: read after the run.
struct tallies {
  struct tally {
    std::atomic<std::uint64_t> count{0}, leaves{0};
    void add(std::uint64_t more) {
      count.fetch_add(1, std::memory_order_relaxed);
      leaves.fetch_add(more, std::memory_order_relaxed);
    }
    [[nodiscard]] double mean() const {
      const auto n = count.load(std::memory_order_relaxed);
      return n == 0 ? 0
                    : static_cast<double>(leaves.load(std::memory_order_relaxed)) /
                          static_cast<double>(n);
    }
  };
  std::array<tally, places> at;  // by place, 0: the oldest
  tally all, stolen;
};

// A fork whose second part waits, or is gone.
struct frame {
  const frame* before;  // the next older one on the same deque; nullptr: none
  std::uint64_t waiting;
  std::atomic<bool> is_gone{false};
};

class tree {
 public:
  tree(shape of, std::uint64_t work, std::uint64_t every, tallies& to)
      : shape_(of), work_(work), every_(every), to_(&to) {}

  // A tree of so many leaves, the first with that number.
  std::uint64_t run(std::uint64_t first, std::uint64_t leaves, const frame* before) const {
    if (leaves == 1) return leaf(first, before);
    const std::uint64_t left = left_part(first, leaves);
    frame mine{before, leaves - left};
    const int here = this_worker::index();
    const auto [a, b] =
        fork_join([&, left] { return run(first, left, &mine); },
                  [&, left, here] {
                    // Relaxed: a look that misses it counts one entry more.
                    mine.is_gone.store(true, std::memory_order_relaxed);
                    const bool is_stolen = this_worker::index() != here;
                    if (is_stolen) to_->stolen.add(leaves - left);
                    return run(first + left, leaves - left, is_stolen ? nullptr : before);
                  });
    return a + b;
  }

 private:
  [[nodiscard]] std::uint64_t left_part(std::uint64_t first, std::uint64_t leaves) const {
    if (shape_ == shape::halves) return leaves / 2;
    const double share = shape_ == shape::fibonacci
                             ? 0.618
                             : workloads::unit_interval(workloads::random_at(leaves, first));
    const auto left = static_cast<std::uint64_t>(share * static_cast<double>(leaves));
    return std::clamp<std::uint64_t>(left, 1, leaves - 1);
  }

  [[nodiscard]] std::uint64_t leaf(std::uint64_t number, const frame* newest) const {
    if (number % every_ == 0) look(newest);
    std::uint64_t found = number;
    for (std::uint64_t i = 0; i < work_; ++i) found = workloads::random_at(found, i);
    return found;
  }

  void look(const frame* newest) const {
    std::array<std::uint64_t, 256> sizes;
    std::size_t count = 0;
    for (const frame* each = newest; each != nullptr && count < sizes.size(); each = each->before)
      if (!each->is_gone.load(std::memory_order_relaxed)) sizes[count++] = each->waiting;
    for (std::size_t i = 0; i < count; ++i) {
      to_->at[std::min(i, places - 1)].add(sizes[count - 1 - i]);
      to_->all.add(sizes[count - 1 - i]);
    }
  }

  shape shape_;
  std::uint64_t work_, every_;
  tallies* to_;
};

struct contender {
  shape of;
  std::string name;
  std::array<samples, places> at = {};  // shares of all leaves, in percent
  samples all = {}, stolen = {}, steals = {};
};

results run(const workloads::option_values& values, const settings& with) {
  const unsigned workers = std::max(workers_of(with), 2u);
  const std::uint64_t leaves = values.size("leaves");
  whole_pool on({.workers = workers});
  contest turns;
  std::deque<contender> all;  // whose addresses the turns keep
  for (const auto& [of, name] : shapes) {
    auto& added = all.emplace_back(contender{of, name});
    turns.add(name, [&added, &on, &values, leaves] {
      const auto counted = std::make_unique<tallies>();
      const tree program(added.of, values.size("work"), values.size("every"), *counted);
      const double seconds =
          seconds_of([&] { on.run([&] { return program.run(0, leaves, nullptr); }); });
      const auto percent = [leaves](const tallies::tally& t) {
        return 100 * t.mean() / static_cast<double>(leaves);
      };
      for (std::size_t i = 0; i < places; ++i)
        if (counted->at[i].count.load(std::memory_order_relaxed) != 0)
          added.at[i].add(percent(counted->at[i]));
      added.all.add(percent(counted->all));
      if (const auto n = counted->stolen.count.load(std::memory_order_relaxed); n != 0) {
        added.stolen.add(percent(counted->stolen));
        added.steals.add(static_cast<double>(n));
      }
      return seconds;
    });
  }
  turns.play(with);

  results result;
  result.title = fmt::format("trees of {} leaves; P = {}; {} rounds", leaves, workers, with.repeat);
  report::chart shown{"Work under an entry of a deque",
                      {"place of the entry, 0: the oldest"},
                      {"share of all work, %", report::axis_scale::log10},
                      {}};
  for (const auto& each : all) {
    auto& line = shown.all.emplace_back(report::series{each.name});
    for (std::size_t i = 0; i < places; ++i) {
      if (each.at[i].empty()) continue;
      const report::distribution found(each.at[i]);
      if (i + 1 < places && found.least > 0)
        line.points.push_back({static_cast<double>(i), found.median, found.least, found.greatest});
      if (i < 6)
        result.rows.push_back({i == 0 ? "the oldest entry" : fmt::format("entry {}", i + 1),
                               {{"of all work", "%", each.at[i]}},
                               {},
                               each.name});
    }
    result.rows.push_back({"any entry", {{"of all work", "%", each.all}}, {}, each.name});
    if (!each.stolen.empty())
      result.rows.push_back({"what a steal took",
                             {{"of all work", "%", each.stolen}, {"steals", "", each.steals}},
                             {},
                             each.name});
  }
  result.charts = {std::move(shown)};
  result.source =
      "CS149, lecture 5 (Stanford): section 2.2, a steal from the top gets the most work";
  result.notes = {
      "Each fork divides its leaves as the group says, and the second part waits. A place is "
      "counted from the oldest entry; the means are over many looks at the deques, and over rounds",
      "A steal takes what is the oldest entry then: late ones get what little is left"};
  return result;
}

}  // namespace

benchmark stolen_work_benchmark() {
  return {"stolen_work", "the work under an entry of a deque, by its place", &options, &run};
}

}  // namespace heist::bench
