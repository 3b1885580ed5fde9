#include "workloads/cilksort/cilksort.hpp"
#include "workloads/constructs.hpp"
#include "workloads/registry.hpp"
#include "workloads/sort/instance.hpp"

namespace heist::workloads {

namespace {

class cilksort_instance final : public sort_instance {
 public:
  cilksort_instance(std::vector<std::int64_t> input, std::size_t cutoff)
      : sort_instance(std::move(input)), buffer_(values().size()), cutoff_(cutoff) {}

  void run_serial() override { sort(serially{}); }
  void run_with(const execution& how) override {
    run_with_forks(how, [&](auto fork) { sort(fork); });
  }

 private:
  template <class Fork>
  void sort(Fork fork) {
    cilksort(std::span(values()), std::span(buffer_), cutoff_, fork);
  }

  std::vector<std::int64_t> buffer_;
  std::size_t cutoff_;
};

class cilksort_workload final : public workload {
 public:
  std::string_view name() const override { return "cilksort"; }
  std::string_view summary() const override {
    return "sorts integers in four quarters at a time, and merges them in pairs";
  }
  profile describe() const override {
    return {.shape = "forks",
            .stresses = "forks of four, and merges between two arrays",
            .source = "cilksort of the Cilk distribution; Akl, Santoro 1987"};
  }
  std::vector<option_spec> options() const override { return sort_options(); }

  std::unique_ptr<instance> make(const option_values& values) const override {
    constexpr std::uint64_t copies = 3;  // the input, what is sorted, and the buffer
    return std::make_unique<cilksort_instance>(sort_input(name(), values, copies),
                                               values.size("cutoff"));
  }
};

}  // namespace

std::unique_ptr<const workload> make_cilksort() { return std::make_unique<cilksort_workload>(); }

}  // namespace heist::workloads
