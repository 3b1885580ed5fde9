// The available memory of made-up machines and cgroups, and the refusal of sizes that do not fit.
#include <limits>

#include <gmock/gmock.h>

#include <heist/error.hpp>

#include "tests/unit/platform/temporary_tree.hpp"
#include "workloads/memory.hpp"

using namespace heist::workloads;

namespace {

constexpr std::uint64_t mebibyte = 1 << 20;

class Memory : public testing::Test {
 protected:
  Memory() { tree.write("/proc/meminfo", "MemTotal: 9216 kB\nMemAvailable:  8192 kB\n"); }
  [[nodiscard]] std::uint64_t available() const { return available_memory_bytes(tree.root()); }
  heist_test::temporary_tree tree;
};

}  // namespace

TEST_F(Memory, IsWhatTheMachineHas) { EXPECT_EQ(available(), 8 * mebibyte); }

TEST_F(Memory, IsWhatACgroupOfVersion2Leaves) {
  tree.write("/proc/self/cgroup", "0::/group/inner\n");
  tree.write("/sys/fs/cgroup/group/inner/memory.max", "max\n");
  tree.write("/sys/fs/cgroup/group/inner/memory.current", "1048576\n");
  EXPECT_EQ(available(), 8 * mebibyte);
  tree.write("/sys/fs/cgroup/group/memory.max", "4194304\n");
  tree.write("/sys/fs/cgroup/group/memory.current", "3145728\n");
  EXPECT_EQ(available(), 1 * mebibyte);
  tree.write("/sys/fs/cgroup/group/memory.stat", "anon 5\ninactive_file 2097152\n");
  EXPECT_EQ(available(), 3 * mebibyte);
}

TEST_F(Memory, IsWhatACgroupOfVersion1Leaves) {
  tree.write("/proc/self/cgroup", "5:cpu:/group\n4:memory:/group\n0::/\n");
  tree.write("/sys/fs/cgroup/memory/group/memory.limit_in_bytes", "2097152\n");
  tree.write("/sys/fs/cgroup/memory/group/memory.usage_in_bytes", "1048576\n");
  EXPECT_EQ(available(), 1 * mebibyte);
}

TEST_F(Memory, IsFoundAtTheMountOfAContainer) {
  tree.write("/proc/self/cgroup", "0::/a/path/of/the/host\n");
  tree.write("/sys/fs/cgroup/memory.max", "3145728\n");
  tree.write("/sys/fs/cgroup/memory.current", "1048576\n");
  EXPECT_EQ(available(), 2 * mebibyte);
}

TEST_F(Memory, IsNothingWhenMoreIsUsedThanAllowed) {
  tree.write("/proc/self/cgroup", "0::/\n");
  tree.write("/sys/fs/cgroup/memory.max", "1048576\n");
  tree.write("/sys/fs/cgroup/memory.current", "2097152\n");
  EXPECT_EQ(available(), 0u);
}

TEST(RequireMemory, NamesTheNeedAndWhatThereIs) {
  EXPECT_NO_THROW(require_memory("a byte", 1));
  try {
    require_memory("sort --size 9", std::uint64_t{1} << 60);
    ADD_FAILURE() << "an exbibyte fits";
  } catch (const heist::resource_error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("sort --size 9 needs 1.0 EiB of memory, and "));
  }
}

TEST(RequireMemory, WritesSizesForPeople) {
  EXPECT_EQ(readable_bytes(0), "0 B");
  EXPECT_EQ(readable_bytes(1023), "1023 B");
  EXPECT_EQ(readable_bytes(1536), "1.5 KiB");
  EXPECT_EQ(readable_bytes(std::uint64_t{3} << 30), "3.0 GiB");
}

TEST(RequireMemory, SaturatesProducts) {
  EXPECT_EQ(saturating_product(6, 7), 42u);
  EXPECT_EQ(saturating_product(std::uint64_t{1} << 40, std::uint64_t{1} << 40),
            std::numeric_limits<std::uint64_t>::max());
}
