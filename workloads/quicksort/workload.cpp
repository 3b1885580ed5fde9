#include "workloads/constructs.hpp"
#include "workloads/quicksort/quicksort.hpp"
#include "workloads/registry.hpp"
#include "workloads/sort/instance.hpp"

namespace heist::workloads {

namespace {

class quicksort_instance final : public sort_instance {
 public:
  quicksort_instance(std::vector<std::int64_t> input, std::size_t cutoff)
      : sort_instance(std::move(input)), cutoff_(cutoff) {}

  void run_serial() override { quicksort(std::span(values()), cutoff_, serially{}); }
  void run_with(const execution& how) override {
    run_with_forks(how, [&](auto fork) { quicksort(std::span(values()), cutoff_, fork); });
  }

 private:
  std::size_t cutoff_;
};

class quicksort_workload final : public workload {
 public:
  std::string_view name() const override { return "quicksort"; }
  std::string_view summary() const override {
    return "sorts integers in place: little parallelism, as each partition is serial";
  }
  profile describe() const override {
    return {.shape = "forks",
            .stresses = "little parallelism: the first partition is a serial pass",
            .source = "Hoare 1962; Tukey's ninther for the pivots"};
  }
  std::vector<option_spec> options() const override { return sort_options(); }

  std::unique_ptr<instance> make(const option_values& values) const override {
    constexpr std::uint64_t copies = 2;  // the input, and what is sorted
    return std::make_unique<quicksort_instance>(sort_input(name(), values, copies),
                                                values.size("cutoff"));
  }
};

}  // namespace

std::unique_ptr<const workload> make_quicksort() { return std::make_unique<quicksort_workload>(); }

}  // namespace heist::workloads
