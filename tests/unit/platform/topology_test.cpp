// The topology of hwloc's synthetic machines and of this one.
#include "platform/topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <map>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "platform/affinity.hpp"
#include "platform/cpu_count.hpp"

namespace heist_test {
namespace {

using heist::platform::load_topology;
using heist::platform::pin_this_thread;
using heist::platform::proximity;
using heist::platform::topology;
using testing::HasSubstr;

class Synthetic : public testing::Test {
 protected:
  void SetUp() override {
    const auto loaded = load_topology();
    if (!loaded.found) GTEST_SKIP() << loaded.reason;
  }

  static topology machine(const char* description) {
    auto loaded = load_topology({.synthetic = description});
    EXPECT_TRUE(loaded.found) << loaded.reason;
    return loaded.found ? *loaded.found : topology{};
  }
};

TEST_F(Synthetic, TwoPackagesWithEverything) {
  const topology shape = machine("package:2 l3:1(size=33554432) l2:4(size=1048576) core:1 pu:2");
  EXPECT_EQ(shape.packages, 2);
  EXPECT_EQ(shape.nodes, 1);
  EXPECT_EQ(shape.cores, 8);
  ASSERT_EQ(shape.cpus.size(), 16U);
  EXPECT_EQ(shape.summary(), "2 packages, 8 cores, 16 PUs, L2 1 MiB x8, L3 32 MiB x2");
  EXPECT_EQ(shape.distance(0, 0), proximity::same_pu);
  EXPECT_EQ(shape.distance(0, 1), proximity::same_core);
  EXPECT_EQ(shape.distance(0, 2), proximity::same_l3);
  EXPECT_EQ(shape.distance(0, 7), proximity::same_l3);
  EXPECT_EQ(shape.distance(0, 8), proximity::remote);
  EXPECT_EQ(shape.distance(8, 0), proximity::remote);
}

TEST_F(Synthetic, CachesAndTheirSharers) {
  const topology shape = machine("package:1 l3:1(size=8388608) l2:2(size=524288) core:2 pu:1");
  const auto third = std::find_if(shape.caches.begin(), shape.caches.end(),
                                  [](const auto& cache) { return cache.level == 3; });
  ASSERT_NE(third, shape.caches.end());
  EXPECT_EQ(third->bytes, 8388608U);
  EXPECT_EQ(third->cpus, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(shape.summary(), "1 package, 4 cores, 4 PUs, L2 512 KiB x2, L3 8 MiB x1");
  // Two cores under one L2 are as near as two threads of a core.
  EXPECT_EQ(shape.distance(0, 1), proximity::same_core);
  EXPECT_EQ(shape.distance(1, 2), proximity::same_l3);
}

TEST_F(Synthetic, SeveralNodesInAPackage) {
  const topology shape = machine("package:2 numa:2 l3:2 core:2 pu:1");
  EXPECT_EQ(shape.nodes, 4);
  EXPECT_EQ(shape.distance(0, 1), proximity::same_l3);
  EXPECT_EQ(shape.distance(0, 2), proximity::same_node);
  EXPECT_EQ(shape.distance(0, 4), proximity::same_package);
  EXPECT_EQ(shape.distance(0, 8), proximity::remote);
  EXPECT_NE(shape.summary().find("4 NUMA nodes"), std::string::npos) << shape.summary();
}

TEST_F(Synthetic, MachineWithoutCaches) {
  const topology shape = machine("core:2 pu:2");
  EXPECT_EQ(shape.distance(0, 1), proximity::same_core);
  EXPECT_EQ(shape.distance(0, 2), proximity::same_node);
}

TEST_F(Synthetic, NearestFirstIsSortedAndStable) {
  const topology shape = machine("package:2 l3:2 l2:2 core:1 pu:2");
  std::vector<int> all(shape.cpus.size());
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(shape.nearest_first(5, all),
            (std::vector<int>{4, 6, 7, 0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15}));
  const std::vector<int> some{15, 4, 0, 99};
  EXPECT_EQ(shape.nearest_first(5, some), (std::vector<int>{4, 0, 15, 99}));
  EXPECT_TRUE(shape.nearest_first(5, {}).empty());
}

TEST_F(Synthetic, UnknownProcessorsAreRemote) {
  const topology shape = machine("core:2 pu:1");
  EXPECT_EQ(shape.distance(0, 77), proximity::remote);
  EXPECT_EQ(shape.distance(-1, -1), proximity::remote);
}

TEST_F(Synthetic, NonsenseIsRefusedWithAReason) {
  const auto loaded = load_topology({.synthetic = "no such:machine"});
  EXPECT_FALSE(loaded.found);
  EXPECT_NE(loaded.reason.find("no such:machine"), std::string::npos) << loaded.reason;
}

TEST(Topology, MissingLibraryIsAReasonAndNotAnError) {
  const auto loaded = load_topology({.library = "libheist-no-such-thing.so.1"});
  EXPECT_FALSE(loaded.found);
  EXPECT_FALSE(loaded.reason.empty());
}

TEST(Topology, AnotherLibraryIsRefused) {
  const auto loaded = load_topology({.library = "libc.so.6"});
  EXPECT_FALSE(loaded.found);
  EXPECT_FALSE(loaded.reason.empty());
}

TEST(Topology, OfThisMachineHoldsTheProcessorsOfTheMask) {
  const auto loaded = load_topology();
  if (!loaded.found) GTEST_SKIP() << loaded.reason;
  std::printf("    %s\n", loaded.found->summary().c_str());
  EXPECT_GE(loaded.found->packages, 1);
  for (const int cpu : heist::platform::affinity_cpus()) {
    EXPECT_EQ(loaded.found->distance(cpu, cpu), proximity::same_pu) << cpu;
  }
}

TEST(Topology, SaysHowManyProcessorsAreSlower) {
  auto machine = load_topology({.synthetic = "package:1 core:8 pu:1"});
  if (!machine.found) GTEST_SKIP() << machine.reason;
  EXPECT_TRUE(machine.found->kinds.empty());
  machine.found->kinds = {{0, 1, 2, 3, 4}, {5, 6, 7}};
  EXPECT_THAT(machine.found->summary(), HasSubstr("8 PUs (5 slower, 3 faster)"));
  machine.found->kinds = {{0}, {1, 2}, {3, 4, 5, 6, 7}};
  EXPECT_THAT(machine.found->summary(), HasSubstr("8 PUs (1 slower, 2 between, 5 faster)"));
}

// The kernel gives each processor's capacity where they differ, as on AArch64's big.LITTLE
// (scripts/machine --shape capacities).
TEST(Topology, KindsAreThoseOfTheKernelsCapacities) {
  std::map<int, std::vector<int>> by_capacity;
  for (const int cpu : heist::platform::affinity_cpus()) {
    std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpu_capacity");
    int capacity = 0;
    if (!(file >> capacity)) GTEST_SKIP() << "the kernel tells no capacities";
    by_capacity[capacity].push_back(cpu);
  }
  if (by_capacity.size() < 2) GTEST_SKIP() << "all processors have the same";
  const auto loaded = load_topology();
  ASSERT_TRUE(loaded.found) << loaded.reason;
  std::vector<std::vector<int>> kinds;
  for (const auto& [capacity, cpus] : by_capacity) kinds.push_back(cpus);
  EXPECT_EQ(loaded.found->kinds, kinds);
}

TEST(Pin, MovesTheThreadAndOnlyIt) {
  const std::vector<int> before = heist::platform::affinity_cpus();
  for (const int cpu : before) {
    std::thread([cpu] {
      ASSERT_TRUE(pin_this_thread(cpu));
      EXPECT_EQ(::sched_getcpu(), cpu);
      EXPECT_EQ(heist::platform::affinity_cpus(), std::vector<int>{cpu});
    }).join();
  }
  EXPECT_EQ(heist::platform::affinity_cpus(), before);
}

TEST(Pin, RefusesProcessorsThatAreNotThere) {
  for (const int cpu : {-1, 1'000'000, 1 << 30}) {
    errno = 0;
    EXPECT_FALSE(pin_this_thread(cpu)) << cpu;
    EXPECT_EQ(errno, EINVAL) << cpu;
  }
}

}  // namespace
}  // namespace heist_test
