#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "bench/api/tables.hpp"

namespace heist::bench::api {

namespace {

constexpr double best_limit = 1.05;
constexpr double entry_s = 20e-9;
constexpr double two_iterations_limit_ns = 100;
constexpr double turn_s = 4e-3;

// The seconds that one step of a chain takes.
double step_s() {
  constexpr std::size_t length = 1'000'000;
  std::uint64_t last = 0;
  double least = 1;
  for (int i = 0; i < 5; ++i)
    least = std::min(least, seconds_of([&] { last = chain(last, length); }));
  check_result("chain", 1, static_cast<std::uint64_t>(last != 1));  // so that the loop remains
  return least / length;
}

std::string told(double seconds) {
  if (seconds < 1e-6) return fmt::format("{:.0f} ns", seconds * 1e9);
  if (seconds < 1e-3) return fmt::format("{:.0f} us", seconds * 1e6);
  return fmt::format("{:.0f} ms", seconds * 1e3);
}

problem chains_problem(std::size_t n, double each_s, double one_step_s) {
  const auto length = static_cast<std::size_t>(each_s / one_step_s);
  const auto out = std::make_shared<std::vector<std::uint64_t>>(n);
  return {fmt::format("{} x {}", n, told(each_s)), [=] { std::fill(out->begin(), out->end(), 0U); },
          [=](const kernels& k) -> std::function<void()> {
            if (k.chains == nullptr) return {};
            return [=] { k.chains(out->data(), n, length); };
          },
          [=] { return fingerprint(*out); }, turn_s};
}

// The worst measured value of the cells, and the cell that had it.
struct worst_cell {
  double value = 0;
  std::string where;
};

void compare(const participants::played& f, worst_cell& worst, std::vector<row>& rows) {
  auto all = f.rivals_on_all;
  all.push_back(&f.of->serial());
  const contestant& best = *fastest(all);
  std::vector<double> less_entry;
  for (const double s : f.ours_on_all->results.values()) less_entry.push_back(s - entry_s);
  const samples to_best = ratio(samples(std::move(less_entry)), best.results);
  row r{f.of->name(), {{"heist", "ns", scaled(f.ours_on_all->results, 1e9)}}, best.name};
  r.measures.push_back({"best of the others", "ns", scaled(best.results, 1e9)});
  r.measures.push_back({"heist less 20 ns to it", "", to_best});
  for (const auto* each : f.rivals_on_all)
    r.measures.push_back(
        {each->name.substr(f.of->name().size() + 2), "ns", scaled(each->results, 1e9)});
  rows.push_back(std::move(r));
  if (to_best.median() > worst.value) worst = {to_best.median(), f.of->name() + "; " + best.name};
}

}  // namespace

void sweep_table(results& into, participants& by, std::size_t most, double cell_limit_s,
                 const settings& with) {
  const double one_step_s = step_s();
  worst_cell worst;
  const auto two = by.play(chains_problem(2, 0, one_step_s), with, false);
  compare(two, worst, into.rows);
  into.targets.push_back({"2 empty iterations", "ns", bound::at_most, two_iterations_limit_ns,
                          scaled(two.ours_on_all->results, 1e9).median(), ""});
  for (const double each_s : {0.0, 10e-9, 100e-9, 1e-6, 10e-6, 100e-6, 1e-3})
    for (std::size_t n = 1; n <= most; n *= 10)
      if (static_cast<double>(n) * each_s <= cell_limit_s)
        compare(by.play(chains_problem(n, each_s, one_step_s), with, false), worst, into.rows);
  into.targets.push_back(
      {"time less 20 ns to the best of serial code and the rivals, the worst cell", "",
       bound::at_most, best_limit, worst.value, worst.where});
}

}  // namespace heist::bench::api
