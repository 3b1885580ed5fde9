#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "workloads/constructs.hpp"
#include "workloads/hashing.hpp"
#include "workloads/knapsack/items.hpp"
#include "workloads/knapsack/knapsack.hpp"
#include "workloads/registry.hpp"

namespace heist::workloads {

namespace {

class knapsack_instance final : public instance {
 public:
  knapsack_instance(std::vector<knapsack_item> items, std::size_t cutoff)
      : items_(std::move(items)), capacity_(capacity_for(items_)), cutoff_(cutoff) {}

  void reset() override { value_ = 0; }

  void run_serial() override {
    plain_best best;
    search_knapsack_serially(root(), best);
    value_ = best.value();
  }
  void run_with(const execution& how) override {
    shared_best best;
    run_with_forks(how, [&](auto fork) { search_knapsack(root(), cutoff_, best, fork); });
    value_ = best.value();
  }

  std::string result() const override {
    return fmt::format("{} from {} items, {} of weight", value_, items_.size(), capacity_);
  }
  std::uint64_t checksum() const override { return static_cast<std::uint64_t>(value_); }

  std::optional<std::string> mistake() const override {
    const auto best = best_by_table(items_, capacity_);
    if (value_ == best) return std::nullopt;
    return fmt::format("the best knapsack is worth {}, not {}", best, value_);
  }

 private:
  knapsack_branch root() const { return {items_, capacity_, 0}; }

  std::vector<knapsack_item> items_;  // by falling worth for their weight
  std::int64_t capacity_;
  std::size_t cutoff_;
  std::int64_t value_ = 0;
};

class knapsack_workload final : public workload {
 public:
  std::string_view name() const override { return "knapsack"; }
  std::string_view summary() const override {
    return "fills a knapsack by branch and bound: what one worker finds cuts others' branches";
  }

  profile describe() const override {
    return {.shape = "forks",
            .stresses = "speculative work, cut by a bound that all workers share",
            .source = "Dantzig 1957; knapsack of the Cilk distribution"};
  }
  std::vector<option_spec> options() const override {
    constexpr std::int64_t most_items = 64;
    return {integer_option("items", "to choose from", 26, 1, most_items),
            integer_option("spread", "of the items' worth: less makes a larger tree", 25, 1, 1000),
            integer_option("cutoff", "items at the end that are not forked", 14, 0, most_items),
            integer_option("seed", "of the generated items", 1, 0, std::int64_t{1} << 60)};
  }

  std::unique_ptr<instance> make(const option_values& values) const override {
    return std::make_unique<knapsack_instance>(
        generate_items(values.size("items"), values.integer("spread"), values.size("seed")),
        values.size("cutoff"));
  }
};

}  // namespace

std::unique_ptr<const workload> make_knapsack() { return std::make_unique<knapsack_workload>(); }

}  // namespace heist::workloads

// ---- items.hpp

namespace heist::workloads {

namespace {

// All weights are multiples of the unit, and the capacity is one less than such a multiple. So a
// part of the knapsack always stays empty, which no bound can know, and the bound cuts only the
// branches that lose more worth than the empty part could hold. Weights at random would leave
// almost nothing to search.
constexpr std::int64_t weight_unit = 100;

}  // namespace

std::vector<knapsack_item> generate_items(std::size_t count, std::int64_t spread,
                                          std::uint64_t seed) {
  std::vector<knapsack_item> items(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto units = 10 + static_cast<std::int64_t>(random_at(seed, 2 * i) % 10);
    const auto extra = random_at(seed, 2 * i + 1) % static_cast<std::uint64_t>(spread);
    items[i].weight = units * weight_unit;
    items[i].value = items[i].weight + static_cast<std::int64_t>(extra);
  }
  // The densest first; of equally dense ones the heavier, so that the order is one and the same
  // with every library.
  std::sort(items.begin(), items.end(), [](const auto& a, const auto& b) {
    const auto dense_a = a.value * b.weight;
    const auto dense_b = b.value * a.weight;
    return dense_a != dense_b ? dense_a > dense_b : a.weight > b.weight;
  });
  return items;
}

std::int64_t capacity_for(const std::vector<knapsack_item>& items) {
  std::int64_t sum = 0;
  for (const auto& item : items) sum += item.weight;
  return sum / 2 / weight_unit * weight_unit + weight_unit - 1;
}

std::int64_t best_by_table(const std::vector<knapsack_item>& items, std::int64_t capacity) {
  std::vector<std::int64_t> best(static_cast<std::size_t>(capacity / weight_unit) + 1);
  for (const auto& item : items) {
    const auto units = static_cast<std::size_t>(item.weight / weight_unit);
    for (auto room = best.size(); room-- > units;)
      best[room] = std::max(best[room], best[room - units] + item.value);
  }
  return best.back();
}

}  // namespace heist::workloads
