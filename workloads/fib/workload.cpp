#include <utility>

#include <fmt/format.h>

#include "workloads/constructs.hpp"
#include "workloads/fib/fib.hpp"
#include "workloads/registry.hpp"

namespace heist::workloads {

namespace {

// Computes the expected result of both recursions by n additions.
std::uint64_t fib_by_addition(std::uint64_t n) {
  std::uint64_t a = 0;
  std::uint64_t b = 1;
  for (; n > 0; --n) {
    a += b;
    std::swap(a, b);
  }
  return a;
}

class fib_instance final : public instance {
 public:
  explicit fib_instance(std::uint64_t n) : n_(n) {}

  void reset() override { value_ = 0; }
  void run_serial() override { value_ = fib_serial(n_); }
  void run_with(const execution& how) override {
    run_with_forks(how, [&](auto fork) {
      if constexpr (std::is_same_v<decltype(fork), forked>)
        value_ = fib(n_);
      else
        value_ = fib_with(n_, fork);
    });
  }

  std::string result() const override { return fmt::format("fib({}) = {}", n_, value_); }
  std::uint64_t checksum() const override { return value_; }

  std::optional<std::string> mistake() const override {
    if (value_ == fib_by_addition(n_)) return std::nullopt;
    return fmt::format("fib({}) is {}, not {}", n_, fib_by_addition(n_), value_);
  }

  // Each call that does not return at once forks; there are fib(n + 1) - 1 such calls.
  work_count work() const override {
    return {static_cast<double>(fib_by_addition(n_ + 1)) - 1, "forks"};
  }

 private:
  std::uint64_t n_;
  std::uint64_t value_ = 0;
};

class fib_workload final : public workload {
 public:
  std::string_view name() const override { return "fib"; }
  std::string_view summary() const override {
    return "Fibonacci numbers by naive recursion: nothing but forks";
  }

  profile describe() const override {
    return {.shape = "forks",
            .stresses = "the price of a fork: it does nothing else",
            .source = "the recurrence; document C, 35"};
  }
  std::vector<option_spec> options() const override {
    return {integer_option("n", "which Fibonacci number", 35, 0,
                           92)};  // fib(93 + 1) would no longer fit 64 bits
  }

  std::unique_ptr<instance> make(const option_values& values) const override {
    return std::make_unique<fib_instance>(static_cast<std::uint64_t>(values.integer("n")));
  }
};

}  // namespace

std::unique_ptr<const workload> make_fib() { return std::make_unique<fib_workload>(); }

}  // namespace heist::workloads
