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

// The serial run makes no mistake, and runs on one worker and on more workers than this machine may
// have processors agree with it.
inline void expect_same_result_everywhere(heist::workloads::instance& instance) {
  instance.reset();
  instance.run_serial();
  const auto expected = instance.checksum();
  EXPECT_EQ(instance.mistake(), std::nullopt) << instance.result();
  for (const unsigned workers : {1u, 3u}) {
    heist::pool pool{{.workers = workers}};
    instance.reset();
    pool.run([&] { instance.run(); });
    EXPECT_EQ(instance.checksum(), expected) << workers << " workers: " << instance.result();
    EXPECT_EQ(instance.mistake(), std::nullopt) << workers << " workers: " << instance.result();
  }
}
