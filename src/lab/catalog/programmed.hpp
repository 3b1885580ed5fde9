// A program as a computation that can be chosen by name. Two sources instantiate the template, so
// that they can be compiled at the same time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "lab/catalog/computation.hpp"
#include "lab/catalog/run.hpp"
#include "lab/dag/unroll.hpp"

namespace heist::lab {

template <fork_join_program Program>
class programmed : public computation {
 public:
  programmed(std::string name, Program program)
      : name_(std::move(name)), threads_(std::move(program)) {}

  measures measure() override {
    if (!measures_) measures_ = lab::measure(threads_);
    return *measures_;
  }

  run_result run(const run_settings& settings) override {
    check_settings(settings);
    no_observer nobody;
    return run_on(threads_, settings, nobody);
  }

  // The checks need the whole DAG in memory.
  run_result run_checked(const run_settings& settings, check_report& report) override {
    if (!unrolled_) unrolled_ = make_computation(unroll(threads_, name_, most_checked));
    return unrolled_->run_checked(settings, report);
  }

  kernel_result run_under_kernel(const kernel_settings& settings) override {
    return run_under(threads_, settings, measure().span);
  }

  timed_result run_timed(const timed_settings& settings) override {
    check_settings(settings);
    return timed_engine(threads_, settings)();
  }

 private:
  static constexpr std::uint64_t most_checked = 1U << 22U;  // nodes

  std::string name_;
  fork_join_threads<Program> threads_;
  std::optional<measures> measures_;
  std::unique_ptr<computation> unrolled_;
};

template <class Program>
[[nodiscard]] std::unique_ptr<computation> make_programmed(const spec& word, Program program) {
  return std::make_unique<programmed<Program>>(word.text(), std::move(program));
}

}  // namespace heist::lab
