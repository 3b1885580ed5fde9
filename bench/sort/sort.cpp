// Compares heist::sort with oneTBB's parallel_sort, the sort of libstdc++'s parallel mode, that of
// numbers in Highway, and std::sort: types of elements times orders and distinct values, on one
// worker and on all.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "bench/sort/inputs.hpp"
#include "bench/sort/matrix.hpp"

namespace heist::bench {

namespace sorting {

namespace {

using workloads::integer_option;

constexpr double cell_limit = 1.02, mean_limit = 0.5;
constexpr std::size_t dear_share = 4;  // that column has as many times fewer elements

std::vector<std::string> with_all(auto names) {
  std::vector<std::string> result = {"all"};
  for (const auto& each : names) result.emplace_back(each);
  return result;
}

std::vector<std::string> input_names() {
  std::vector<std::string> names;
  for (const auto& each : all_inputs()) names.push_back(each.name);
  return names;
}

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  constexpr std::int64_t most = 1'000'000'000;
  return {
      integer_option("n", "elements in each cell of the matrix", quick ? 2000 : 100'000, 1, most),
      workloads::choice_option("type", "which elements", "all", with_all(type_names)),
      workloads::choice_option("input", "which of their orders and distinct values", "all",
                               with_all(input_names())),
      integer_option("records-n", "records of 64 bytes, 0 for none", quick ? 2000 : 3'000'000, 0,
                     most),
      integer_option("repeated-n", "integers of 100 distinct values, 0 for none",
                     quick ? 2000 : 20'000'000, 0, most),
      integer_option("strings-n", "strings, 0 for none", quick ? 2000 : 2'000'000, 0, most)};
}

// All that is compared, and where the results go.
class comparison {
 public:
  comparison(const settings& with, results& into)
      : with_(with),
        into_(into),
        all_workers_(workers_of(with)),
        one_({.workers = 1}),
        many_(all_workers_ > 1 ? std::make_unique<whole_pool>(pool_config{.workers = all_workers_})
                               : nullptr) {
    std::vector<pool*> pools{&one_};
    if (many_ != nullptr) pools.push_back(many_.get());
    for (auto&& some : {std::vector{ours(std::move(pools))}, onetbb(), gnu_parallel(), highway(),
                        std::vector{standard()}})
      sides_.insert(sides_.end(), some.begin(), some.end());
  }

  // On so many workers, of every type or input or of one.
  void matrix(unsigned workers, std::size_t n, const std::string& type, const std::string& input) {
    report::heat_map map{
        .title = fmt::format("heist's time / the best other's, {}", workers_told(workers))};
    for (std::size_t t = 0; t < type_names.size(); ++t) {
      if (type != "all" && type != type_names[t]) continue;
      map.columns.emplace_back(type_names[t]);
      const auto size = type_names[t] == "dear" ? std::max<std::size_t>(n / dear_share, 1) : n;
      std::size_t r = 0;
      for (const auto& each : all_inputs()) {
        if (input != "all" && input != each.name) continue;
        if (map.rows.size() <= r) {
          map.rows.push_back(each.name);
          map.cells.emplace_back();
        }
        map.cells[r++].push_back(cell_of({t, each.name, each.keys(size), workers}));
      }
    }
    into_.heat_maps.push_back(std::move(map));
  }

  void large(std::string_view type, std::string_view input, std::size_t n, double limit) {
    if (n == 0) return;
    const auto t = static_cast<std::size_t>(std::find(type_names.begin(), type_names.end(), type) -
                                            type_names.begin());
    const auto& made = *std::find_if(all_inputs().begin(), all_inputs().end(),
                                     [&](const auto& each) { return each.name == input; });
    const auto name = fmt::format("{} x {}, {}", n, type, input);
    const auto played = play_cell({t, name, made.keys(n), all_workers_}, "large");
    into_.targets.push_back({name + ", heist to the best of the others", "", bound::at_most, limit,
                             played.to_best().median(), played.best_name});
  }

  void end() {
    if (cells_ == 0) return;
    into_.targets.insert(
        into_.targets.begin(),
        {{"heist to the best of the others, the worst cell", "", bound::at_most, cell_limit, worst_,
          worst_where_},
         {"heist to the best of the others, the cells' geometric mean", "", bound::at_most,
          mean_limit, std::exp(sum_of_logs_ / static_cast<double>(cells_)), ""}});
  }

  [[nodiscard]] unsigned all_workers() const { return all_workers_; }

 private:
  static std::string workers_told(unsigned workers) {
    return fmt::format("{} worker{}", workers, workers == 1 ? "" : "s");
  }

  std::optional<double> cell_of(const cell& what) {
    const auto group = fmt::format("{}, {}", type_names[what.type], workers_told(what.workers));
    const auto played = play_cell(what, group);
    if (played.best.empty()) return {};
    const double to_best = played.to_best().median();
    sum_of_logs_ += std::log(to_best);
    ++cells_;
    if (to_best > worst_) {
      worst_ = to_best;
      worst_where_ = fmt::format("{}; {}; {}", group, what.input, played.best_name);
    }
    return to_best;
  }

  outcome play_cell(const cell& what, std::string group) {
    auto sides = sides_;
    // On one thread libstdc++'s parallel mode calls std::sort.
    if (what.workers == 1)
      std::erase_if(sides, [](const side& each) { return each.name == "GNU parallel mode"; });
    auto played = play(what, sides, with_);
    into_.rows.push_back({what.input,
                          {{"heist", "ms", scaled(played.ours, 1e3)},
                           {"best of the others", "ms", scaled(played.best, 1e3)},
                           {"to the best", "", played.to_best()}},
                          played.best_name,
                          std::move(group)});
    return played;
  }

  const settings& with_;
  results& into_;
  unsigned all_workers_;
  whole_pool one_;
  std::unique_ptr<whole_pool> many_;  // none for one worker
  std::vector<side> sides_;
  double sum_of_logs_ = 0, worst_ = 0;
  std::size_t cells_ = 0;
  std::string worst_where_;
};

results run(const workloads::option_values& values, const settings& with) {
  results result;
  comparison by(with, result);
  const auto n = values.size("n");
  result.title = fmt::format("sorting {} elements in each cell, 1 worker and {}; {} rounds", n,
                             by.all_workers(), with.repeat);
  by.matrix(1, n, values.text("type"), values.text("input"));
  if (by.all_workers() > 1)
    by.matrix(by.all_workers(), n, values.text("type"), values.text("input"));
  by.large("64 bytes", "n values, random", values.size("records-n"), 0.9);
  by.large("8 bytes", "100 values", values.size("repeated-n"), 0.7);
  by.large("string", "n values, random", values.size("strings-n"), 0.8);
  by.end();
  if (onetbb().empty()) result.rows.push_back({"oneTBB", {}, "not built in"});
  if (gnu_parallel().empty()) result.rows.push_back({"GNU parallel mode", {}, "not built in"});
  if (highway().empty()) result.rows.push_back({"Highway", {}, "not built in"});
  return result;
}

}  // namespace

}  // namespace sorting

benchmark sort_benchmark() {
  return {"sort",
          "sorting elements of 4 to 256 bytes, strings and more, in many orders, against oneTBB, "
          "GNU's parallel mode, Highway and std::sort",
          &sorting::options, &sorting::run};
}

}  // namespace heist::bench
