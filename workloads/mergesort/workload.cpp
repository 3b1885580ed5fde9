#include "workloads/constructs.hpp"
#include "workloads/mergesort/mergesort.hpp"
#include "workloads/registry.hpp"
#include "workloads/sort/instance.hpp"

namespace heist::workloads {

namespace {

class mergesort_instance final : public sort_instance {
 public:
  mergesort_instance(std::vector<std::int64_t> input, std::size_t cutoff)
      : sort_instance(std::move(input)), buffer_(values().size()), cutoff_(cutoff) {}

  void run_serial() override { sort(serially{}); }
  void run_with(const execution& how) override {
    run_with_forks(how, [&](auto fork) { sort(fork); });
  }

 private:
  template <class Fork>
  void sort(Fork fork) {
    mergesort(std::span(values()), std::span(buffer_), sorted_into::values, cutoff_, fork);
  }

  std::vector<std::int64_t> buffer_;
  std::size_t cutoff_;
};

class mergesort_workload final : public workload {
 public:
  std::string_view name() const override { return "mergesort"; }
  std::string_view summary() const override {
    return "sorts integers through a buffer, merging in parallel too";
  }
  profile describe() const override {
    return {.shape = "forks",
            .stresses = "memory bandwidth, and merges in parallel",
            .source = "Cormen et al., 3rd edition, section 27.3"};
  }
  std::vector<option_spec> options() const override { return sort_options(); }

  std::unique_ptr<instance> make(const option_values& values) const override {
    constexpr std::uint64_t copies = 3;  // the input, what is sorted, and the buffer
    return std::make_unique<mergesort_instance>(sort_input(name(), values, copies),
                                                values.size("cutoff"));
  }
};

}  // namespace

std::unique_ptr<const workload> make_mergesort() { return std::make_unique<mergesort_workload>(); }

}  // namespace heist::workloads
