#include <utility>
#include <vector>

#include <fmt/format.h>

#include "workloads/constructs.hpp"
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
