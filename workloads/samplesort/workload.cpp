#include "workloads/constructs.hpp"
#include "workloads/registry.hpp"
#include "workloads/samplesort/samplesort.hpp"
#include "workloads/sort/instance.hpp"

namespace heist::workloads {

namespace {

class samplesort_instance final : public sort_instance {
 public:
  samplesort_instance(std::vector<std::int64_t> input, std::size_t ranges)
      : sort_instance(std::move(input)),
        sorted_(values().size()),
        numbers_(values().size()),
        ranges_(ranges) {}

  void run_serial() override { sort(serially{}); }
  void run_with(const execution& how) override {
    run_with_loops(how, [&](auto fork) { sort(fork); });
  }

 private:
  template <class Fork>
  void sort(Fork fork) {
    samplesort(std::span<const std::int64_t>(values()), std::span(sorted_), std::span(numbers_),
               ranges_, fork);
    values().swap(sorted_);
  }

  std::vector<std::int64_t> sorted_;
  std::vector<std::uint16_t> numbers_;
  std::size_t ranges_;
};

class samplesort_workload final : public workload {
 public:
  std::string_view name() const override { return "samplesort"; }
  std::string_view summary() const override {
    return "sorts integers in three loops, through buckets that a sample delimits";
  }
  profile describe() const override {
    return {.shape = "loops",
            .stresses = "three loops over memory, the last one of uneven buckets",
            .source = "Frazer, McKellar 1970; Sanders, Winkel 2004",
            .has_only_loops = true};
  }
  std::vector<option_spec> options() const override {
    auto specs = sort_options();
    specs.back() = integer_option("buckets", "between splitters; rounded up to a power of two", 256,
                                  2, splitters::most);
    return specs;
  }

  std::unique_ptr<instance> make(const option_values& values) const override {
    constexpr std::uint64_t copies = 4;  // the input, what is sorted, the result, and the buckets
    return std::make_unique<samplesort_instance>(sort_input(name(), values, copies),
                                                 values.size("buckets"));
  }
};

}  // namespace

std::unique_ptr<const workload> make_samplesort() {
  return std::make_unique<samplesort_workload>();
}

}  // namespace heist::workloads
