// Makes a workload from option texts, and runs it in every way that must give the same result.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <heist/pool.hpp>

#include "workloads/workload.hpp"

using option_texts = std::vector<std::pair<std::string_view, std::string_view>>;

inline std::unique_ptr<heist::workloads::instance> make_instance(
    std::string_view name, const option_texts& options,
    const std::vector<std::string>& files = {}) {
  const auto* workload = heist::workloads::find(name);
  heist::workloads::option_values values(name, workload->options());
  for (const auto& [option, text] : options) values.set(option, text);
  for (const auto& file : files) values.add_file(file);
  return workload->make(values);
}

// Every way in which a program with these loops or forks can run.
inline std::vector<heist::workloads::execution> ways_to_run(bool has_only_loops) {
  using namespace heist::workloads;
  std::vector<execution> ways = {
      {construct::forks}, {construct::tasks}, {construct::jobs}, {construct::futures}};
  if (has_only_loops)
    for (const auto plan : {loop_plan::static_blocks, loop_plan::interleaved,
                            loop_plan::semi_static, loop_plan::counter})
      ways.push_back({construct::plan, plan});
  return ways;
}

// The serial run makes no mistake, and runs on several workers agree with it, whatever constructs
// the program is made of. This is for unusual sizes; preset_matrix_test.cpp runs every program
// under every preset, on other numbers of workers too.
inline void expect_same_result_everywhere(heist::workloads::instance& instance,
                                          bool has_only_loops = false) {
  instance.reset();
  instance.run_serial();
  const auto expected = instance.checksum();
  EXPECT_EQ(instance.mistake(), std::nullopt) << instance.result();
  heist::pool pool{{.workers = 3}};
  for (auto how : ways_to_run(has_only_loops)) {
    how.on = &pool;
    SCOPED_TRACE(to_string(how.with));
    instance.reset();
    pool.run([&] { instance.run_with(how); });
    EXPECT_EQ(instance.checksum(), expected) << instance.result();
    EXPECT_EQ(instance.mistake(), std::nullopt) << instance.result();
  }
}
