// Takes a processor out of a thread's mask and adds it again.
#include "platform/affinity.hpp"

#include <gtest/gtest.h>

#include <sched.h>

#include <algorithm>
#include <vector>

#include "platform/cpu_count.hpp"
#include "platform/thread.hpp"

namespace heist_test {
namespace {

using heist::platform::affinity_cpus;
using heist::platform::allow_cpu;
using heist::platform::current_cpu;
using heist::platform::forbid_cpu;
using heist::platform::thread_id;

TEST(Affinity, TheCurrentProcessorIsOneOfTheMask) {
  const std::vector<int> cpus = affinity_cpus();
  const int here = current_cpu();
  EXPECT_NE(std::find(cpus.begin(), cpus.end(), here), cpus.end()) << here;
}

TEST(Affinity, AForbiddenProcessorIsLeftUntilItIsAllowed) {
  const std::vector<int> before = affinity_cpus();
  if (before.size() < 2) GTEST_SKIP() << "one processor";
  for (const int cpu : before) {
    ASSERT_TRUE(forbid_cpu(thread_id(), cpu));
    EXPECT_NE(current_cpu(), cpu);
    EXPECT_EQ(affinity_cpus().size(), before.size() - 1);
    EXPECT_FALSE(forbid_cpu(thread_id(), cpu)) << "it isn't in the mask";
    ASSERT_TRUE(allow_cpu(thread_id(), cpu));
    EXPECT_EQ(affinity_cpus(), before);
  }
}

TEST(Affinity, TheLastProcessorStays) {
  std::vector<int> left = affinity_cpus();
  const std::vector<int> before = left;
  while (left.size() > 1) {
    ASSERT_TRUE(forbid_cpu(thread_id(), left.back()));
    left.pop_back();
  }
  EXPECT_FALSE(forbid_cpu(thread_id(), left.front()));
  EXPECT_EQ(affinity_cpus(), left);
  for (const int cpu : before) EXPECT_TRUE(allow_cpu(thread_id(), cpu));
  EXPECT_EQ(affinity_cpus(), before);
}

TEST(Affinity, WhatDoesNotExistIsRefused) {
  const std::vector<int> before = affinity_cpus();
  EXPECT_FALSE(forbid_cpu(thread_id(), -1));
  EXPECT_FALSE(forbid_cpu(thread_id(), CPU_SETSIZE));
  EXPECT_FALSE(allow_cpu(thread_id(), -1));
  EXPECT_FALSE(allow_cpu(thread_id(), CPU_SETSIZE));
  EXPECT_FALSE(forbid_cpu(1 << 30, current_cpu()));  // no such thread
  EXPECT_EQ(affinity_cpus(), before);
}

}  // namespace
}  // namespace heist_test
