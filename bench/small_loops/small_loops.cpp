// Measures loops and sums of ten elements inside of tasks, where what surrounds the elements is
// most of the time: beside plain code, and beside a tree of nine forks.
//
// Then skynet, whose every node is such a sum over its ten children. Only its leaves are at hand
// for a plain loop, so the three forms are compared with each other.
#include <array>
#include <functional>
#include <memory>
#include <numeric>

#include <fmt/format.h>

#include "bench/rounds.hpp"
#include "heist/fork_join.hpp"
#include "heist/parallel_for.hpp"
#include "heist/reduce.hpp"
#include "workloads/skynet/skynet.hpp"

namespace heist::bench {

namespace {

using workloads::integer_option;

constexpr double most_to_forks = 1.3;   // of a loop of ten iterations
constexpr double most_to_skynet = 1.2;  // of a form of skynet, to that with forks
constexpr unsigned children = 10;

using ten = std::array<std::uint64_t, children>;

// ---- ten elements

[[gnu::noinline]] void add_serially(ten& v) {
  for (unsigned i = 0; i < children; ++i) {
    v[i] += i;
    asm volatile("" : : : "memory");  // ten iterations, not a few of vectors
  }
}

void add_by_forks(ten& v, unsigned first, unsigned last) {
  if (last - first == 1) {
    v[first] += first;
    return;
  }
  const unsigned middle = first + (last - first) / 2;
  heist::fork_join([&v, first, middle] { add_by_forks(v, first, middle); },
                   [&v, middle, last] { add_by_forks(v, middle, last); });
}

[[gnu::noinline]] void add_by_loop(ten& v) {
  heist::parallel_for(0U, children, [&v](unsigned i) { v[i] += i; });
}

// ---- skynet: the sum of the numbers of all leaves below a node

using node = workloads::skynet_node;

std::uint64_t sum_serially(node n) { return workloads::skynet_serially(n); }

std::uint64_t sum_by_forks(node n) {
  return workloads::skynet(n, [](auto f, auto g) { return heist::fork_join(f, g); });
}

std::uint64_t sum_by_loop(node n) {
  if (n.leaves == 1) return n.first;
  ten sums;
  heist::parallel_for(0U, children, [&sums, n](unsigned k) { sums[k] = sum_by_loop(n.child(k)); });
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

constexpr std::array<unsigned, children> numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
std::uint64_t sum_by_reduce(node n) {
  if (n.leaves == 1) return n.first;
  return heist::transform_reduce(numbers.begin(), numbers.end(), std::uint64_t{0}, std::plus{},
                                 [n](unsigned k) { return sum_by_reduce(n.child(k)); });
}

// ---- the report

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {integer_option("times", "how often ten elements are added", quick ? 1000 : 5'000'000, 1,
                         1'000'000'000),
          integer_option("digits", "skynet has 10^digits leaves", quick ? 3 : 7, 0, 9)};
}

struct side {
  unsigned workers;
  std::unique_ptr<pool> on;
  samples added_by_forks{}, added_by_loop{};
  samples summed_by_forks{}, summed_by_loop{}, summed_by_reduce{};
};

class play_of_all {
 public:
  play_of_all(std::size_t times, unsigned digits, const std::vector<unsigned>& workers)
      : times_(times), digits_(digits), root_{0, 1} {
    for (unsigned i = 0; i < digits; ++i) root_.leaves *= children;
    for (const unsigned p : workers)
      sides_.push_back({p, std::make_unique<whole_pool>(pool_config{.workers = p})});
  }

  void round() {
    added_serially_.add(ns_an_addition(&add_serially));
    summed_serially_.add(seconds_of_skynet(&sum_serially));
    for (side& s : sides_) {
      s.on->run([&] {
        s.added_by_forks.add(ns_an_addition([](ten& v) { add_by_forks(v, 0, children); }));
        s.added_by_loop.add(ns_an_addition(&add_by_loop));
        s.summed_by_forks.add(seconds_of_skynet(&sum_by_forks));
        s.summed_by_loop.add(seconds_of_skynet(&sum_by_loop));
        s.summed_by_reduce.add(seconds_of_skynet(&sum_by_reduce));
      });
    }
  }

  void report(results& r) const {
    const std::string loops = "ten iterations";
    r.rows.push_back({"plain loop", {{"a loop", "ns", added_serially_}}, {}, loops});
    for (const side& s : sides_) {
      const auto add = [&](const char* form, const samples& found) {
        r.rows.push_back({fmt::format("{}, P = {}", form, s.workers),
                          {{"a loop", "ns", found},
                           {"to the forks", "", report::ratio(found, s.added_by_forks)}},
                          {},
                          loops});
      };
      add("nine forks", s.added_by_forks);
      add("parallel_for", s.added_by_loop);
      add_target(r, fmt::format("ten iterations, P = {}, parallel_for to nine forks", s.workers),
                 most_to_forks, report::ratio(s.added_by_loop, s.added_by_forks));
    }
    const std::string skynet = fmt::format("skynet, 10^{} leaves", digits_);
    r.rows.push_back({"serial", {{"time", "s", summed_serially_}}, {}, skynet});
    for (const side& s : sides_) {
      const auto add = [&](const char* form, const samples& found) {
        r.rows.push_back(
            {fmt::format("{}, P = {}", form, s.workers),
             {{"time", "s", found}, {"to the forks", "", report::ratio(found, s.summed_by_forks)}},
             {},
             skynet});
      };
      add("fork_join", s.summed_by_forks);
      add("parallel_for", s.summed_by_loop);
      add("transform_reduce", s.summed_by_reduce);
      add_target(r, fmt::format("skynet, P = {}, parallel_for to fork_join", s.workers),
                 most_to_skynet, report::ratio(s.summed_by_loop, s.summed_by_forks));
      add_target(r, fmt::format("skynet, P = {}, transform_reduce to fork_join", s.workers),
                 most_to_skynet, report::ratio(s.summed_by_reduce, s.summed_by_forks));
    }
  }

 private:
  static void add_target(results& r, std::string what, double most, const samples& ratios) {
    target t{std::move(what), "", bound::at_most, most, std::nullopt, {}};
    t.measured = ratios.median();
    r.targets.push_back(t);
  }

  template <class Add>
  double ns_an_addition(Add&& add) const {
    ten v{};
    const double seconds = seconds_of([&] {
      for (std::size_t i = 0; i < times_; ++i) add(v);
    });
    check_result("ten iterations", std::uint64_t{times_} * (children * (children - 1) / 2),
                 std::accumulate(v.begin(), v.end(), std::uint64_t{0}));
    return seconds / static_cast<double>(times_) * 1e9;
  }

  template <class Sum>
  double seconds_of_skynet(Sum&& sum) const {
    const std::uint64_t n = root_.leaves;
    return time_checked("skynet", n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n,
                        [&] { return sum(root_); });
  }

  const std::size_t times_;
  const unsigned digits_;
  node root_;
  samples added_serially_;
  samples summed_serially_;
  std::vector<side> sides_;
};

results run(const workloads::option_values& values, const settings& with) {
  std::vector<unsigned> workers{1};
  if (const unsigned all = workers_of(with); all > 1) workers.push_back(all);
  play_of_all all(values.size("times"), static_cast<unsigned>(values.integer("digits")), workers);
  for (unsigned round = 1; round <= with.repeat; ++round) {
    with.announce(fmt::format("round {} of {}", round, with.repeat));
    all.round();
  }
  results r;
  r.title = fmt::format("loops of ten iterations in tasks; {} rounds", with.repeat);
  all.report(r);
  return r;
}

}  // namespace

benchmark small_loops_benchmark() {
  return {"small_loops", "loops and sums of ten elements inside of tasks, beside forks", &options,
          &run};
}

}  // namespace heist::bench
