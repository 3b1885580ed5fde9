// Measures the sum of a balanced tree that forks at every node: regions of a few microseconds, from
// which a thief can take only crumbs, and long ones.
//
// A turn sums the same tree many times on one worker's call of pool::run. "Called" is the same with
// a call of pool::run for each sum, from a thread outside.
//
// What requests cost their owner: the time that a sum takes longer than on 1 worker, divided by the
// jobs that were exposed meanwhile because somebody asked. It includes what the owner waited for,
// and is negative where the thieves' help was worth more.
#include <algorithm>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "bench/rounds.hpp"
#include "heist/fork_join.hpp"

namespace heist::bench {

namespace {

using workloads::integer_option;

constexpr double most_to_serial = 1.4;
constexpr double most_to_one_worker = 1.1;

struct node {
  std::int64_t value = 1;
  const node* left = nullptr;
  const node* right = nullptr;
};

// The nodes lie in the order in which a serial sum visits them.
class tree {
 public:
  explicit tree(int levels) {
    nodes_.reserve((std::size_t{1} << levels) - 1);
    grow(levels);
  }
  [[nodiscard]] const node& root() const noexcept { return nodes_.front(); }
  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }

 private:
  const node* grow(int levels) {
    if (levels == 0) return nullptr;
    node& n = nodes_.emplace_back();  // never moved: the memory is reserved
    n.left = grow(levels - 1);
    n.right = grow(levels - 1);
    return &n;
  }

  std::vector<node> nodes_;
};

[[gnu::noinline]] std::int64_t serial_sum(const node& n) {
  if (n.left == nullptr) return n.value;
  return n.value + serial_sum(*n.left) + serial_sum(*n.right);
}

[[gnu::noinline]] std::int64_t forked_sum(const node& n) {
  if (n.left == nullptr) return n.value;
  const auto [left, right] =
      heist::fork_join([&n] { return forked_sum(*n.left); }, [&n] { return forked_sum(*n.right); });
  return n.value + left + right;
}

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {integer_option("levels", "of the largest tree", quick ? 12 : 24, 2, 30),
          integer_option("nodes", "to sum in a turn, at least", quick ? 10'000 : 50'000'000, 1,
                         10'000'000'000)};
}

struct side {
  unsigned workers;
  std::unique_ptr<pool> on;
  samples inside_us{}, called_us{};
  samples exposed{};  // jobs a sum, in the rounds of inside_us
};

class sums_of_one_tree {
 public:
  sums_of_one_tree(int levels, std::size_t nodes, const std::vector<unsigned>& workers)
      : tree_(levels), sums_(std::max<std::size_t>(1, nodes / tree_.size())) {
    for (const unsigned p : workers)
      sides_.push_back({p, std::make_unique<whole_pool>(pool_config{.workers = p})});
  }

  void play() {
    const auto forked = [this] { return forked_sum(tree_.root()); };
    serial_us_.add(us_a_sum([this] { return serial_sum(tree_.root()); }));
    for (side& s : sides_) {
      const std::uint64_t before = s.on->stats().total.exposes;
      s.inside_us.add(s.on->run([&] { return us_a_sum(forked); }));
      s.exposed.add(static_cast<double>(s.on->stats().total.exposes - before) /
                    static_cast<double>(sums_));
      s.called_us.add(us_a_sum([&] { return s.on->run(forked); }));
    }
  }

  void report(results& r) const {
    const std::string of = fmt::format("{} nodes", tree_.size());
    const auto us = [](const samples& s) { return measure{"a sum", "us", s}; };
    const auto ratio = [](const char* to, const samples& s, const samples& base) {
      return measure{to, "", report::ratio(s, base)};
    };
    const samples& one = sides_.front().inside_us;
    r.rows.push_back({"serial", {us(serial_us_)}, {}, of});
    for (const side& s : sides_) {
      const std::string name = fmt::format("heist, P = {}", s.workers);
      row inside{name,
                 {us(s.inside_us), ratio("to serial", s.inside_us, serial_us_),
                  ratio("to P = 1", s.inside_us, one)},
                 {},
                 of};
      if (s.workers > 1) {
        inside.measures.push_back({"exposed jobs a sum", "", s.exposed});
        const samples costs = costs_of_exposed(s, one);
        if (!costs.empty()) inside.measures.push_back({"longer by, for each", "us", costs});
      }
      r.rows.push_back(std::move(inside));
      r.rows.push_back({name + ", called",
                        {us(s.called_us), ratio("to serial", s.called_us, serial_us_),
                         ratio("to P = 1", s.called_us, sides_.front().called_us)},
                        {},
                        of});
      if (s.workers == 1)
        add_target(r, of + ", P = 1, to serial", most_to_serial,
                   report::ratio(s.inside_us, serial_us_));
      else
        add_target(r, fmt::format("{}, P = {}, to P = 1", of, s.workers), most_to_one_worker,
                   report::ratio(s.inside_us, one));
    }
  }

 private:
  // Of the rounds in which there were any.
  static samples costs_of_exposed(const side& s, const samples& one) {
    samples found;
    for (std::size_t i = 0; i < one.size(); ++i)
      if (const double n = s.exposed.values()[i]; n > 0)
        found.add((s.inside_us.values()[i] - one.values()[i]) / n);
    return found;
  }

  static void add_target(results& r, std::string what, double most, const samples& ratios) {
    target t{std::move(what), "", bound::at_most, most, std::nullopt, {}};
    t.measured = ratios.median();
    r.targets.push_back(t);
  }

  template <class Sum>
  double us_a_sum(Sum&& sum) const {
    std::int64_t found = 0;
    const double seconds = seconds_of([&] {
      for (std::size_t i = 0; i < sums_; ++i) found += sum();
    });
    check_result("tree", sums_ * tree_.size(), static_cast<std::uint64_t>(found));
    return seconds / static_cast<double>(sums_) * 1e6;
  }

  const tree tree_;
  const std::size_t sums_;
  samples serial_us_;
  std::vector<side> sides_;
};

results run(const workloads::option_values& values, const settings& with) {
  std::vector<unsigned> workers{1, 2, 8};
  if (with.workers > 1) workers = {1, with.workers};
  const int largest = static_cast<int>(values.integer("levels"));
  results r;
  for (const int levels : std::set<int>{std::min(10, largest), std::min(16, largest), largest}) {
    sums_of_one_tree contest(levels, values.size("nodes"), workers);
    for (unsigned round = 1; round <= with.repeat; ++round) {
      with.announce(fmt::format("{} levels, round {} of {}", levels, round, with.repeat));
      contest.play();
    }
    contest.report(r);
  }
  r.title = fmt::format("sums of balanced trees, a fork at every node; {} rounds", with.repeat);
  return r;
}

}  // namespace

benchmark tree_benchmark() {
  return {"tree", "sums of trees: regions of microseconds, and what requests cost them", &options,
          &run};
}

}  // namespace heist::bench
