// For tests that run on several pools: the configuration of a pool, and a fixture that makes it.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "heist/config.hpp"
#include "heist/pool.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {

struct setting {
  unsigned workers;
  heist::deque_kind deque = heist::deque_kind::split;
  heist::join_kind join = heist::join_kind::greedy;
};

inline std::string name_of(const testing::TestParamInfo<setting>& s) {
  return std::to_string(s.param.workers) + "_" + std::string(to_string(s.param.deque)) + "_" +
         std::string(to_string(s.param.join));
}

class on_pools : public testing::TestWithParam<setting> {
 protected:
  static heist::pool_config config() {
    return {.workers = GetParam().workers, .deque = GetParam().deque, .join = GetParam().join};
  }
  heist::pool pool_{config()};
  const watchdog guard_{"a pool's work"};
};

}  // namespace heist_test
