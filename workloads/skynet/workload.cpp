#include <fmt/format.h>

#include "workloads/constructs.hpp"
#include "workloads/registry.hpp"
#include "workloads/skynet/skynet.hpp"

namespace heist::workloads {

namespace {

class skynet_instance final : public instance {
 public:
  explicit skynet_instance(std::uint64_t leaves) : leaves_(leaves) {}

  void reset() override { sum_ = 0; }
  void run_serial() override { sum_ = skynet_serially({0, leaves_}); }
  void run_with(const execution& how) override {
    run_with_forks(how, [&](auto fork) { sum_ = skynet(skynet_node{0, leaves_}, fork); });
  }

  std::string result() const override { return fmt::format("{} leaves, sum {}", leaves_, sum_); }
  std::uint64_t checksum() const override { return sum_; }

  std::optional<std::string> mistake() const override {
    const auto known = leaves_ % 2 == 0 ? leaves_ / 2 * (leaves_ - 1) : (leaves_ - 1) / 2 * leaves_;
    if (sum_ == known) return std::nullopt;
    return fmt::format("{} leaves have the sum {}, not {}", leaves_, known, sum_);
  }

  work_count work() const override { return {static_cast<double>(leaves_), "leaves"}; }

 private:
  std::uint64_t leaves_;
  std::uint64_t sum_ = 0;
};

class skynet_workload final : public workload {
 public:
  std::string_view name() const override { return "skynet"; }
  std::string_view summary() const override {
    return "sums the leaves of a flat tree, ten children a node: nearly nothing but forks";
  }

  profile describe() const override {
    return {.shape = "forks",
            .stresses = "the price of a fork in a flat tree of a million leaves",
            .source = "Temelkov 2016, skynet"};
  }
  std::vector<option_spec> options() const override {
    return {integer_option("leaves", "of the tree", 1'000'000, 1, std::int64_t{1} << 32)};
  }

  std::unique_ptr<instance> make(const option_values& values) const override {
    return std::make_unique<skynet_instance>(values.size("leaves"));
  }
};

}  // namespace

std::unique_ptr<const workload> make_skynet() { return std::make_unique<skynet_workload>(); }

}  // namespace heist::workloads
