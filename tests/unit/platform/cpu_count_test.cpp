// The default number of workers, tested on made-up cgroup trees of all known shapes, and on a real
// one if the system allows it.
#include <gtest/gtest.h>

#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "platform/affinity.hpp"
#include "platform/cpu_count.hpp"
#include "platform/thread.hpp"
#include "temporary_tree.hpp"

namespace heist_test {
namespace {

using heist::platform::affinity_cpus;
using heist::platform::cpu_limits;
using heist::platform::find_cpu_limits;

class CpuCount : public testing::Test {
 protected:
  void processes(const std::string& cgroup, const std::string& mountinfo) const {
    tree_.write("/proc/self/cgroup", cgroup);
    tree_.write("/proc/self/mountinfo", mountinfo);
  }

  [[nodiscard]] cpu_limits limits() const {
    return find_cpu_limits({.proc_root = tree_.root() + "/proc", .mount_prefix = tree_.root()});
  }

  // The quota in thousandths of a processor, or -1 if there is none.
  [[nodiscard]] int milli() const {
    const cpu_limits found = limits();
    return found.quota ? static_cast<int>(*found.quota * 1000 + 0.5) : -1;
  }

  temporary_tree tree_;
};

const char* const v2_mount =
    "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";
const char* const v1_mount =
    "33 30 0:30 / /sys/fs/cgroup/cpu rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n";

TEST_F(CpuCount, NoFilesAtAllMeansNoQuota) {
  EXPECT_EQ(milli(), -1);
  EXPECT_EQ(limits().workers, limits().affinity);
  EXPECT_EQ(limits().quota_source, "");
}

TEST_F(CpuCount, Version2ReadsTheProcessesOwnGroup) {
  processes("0::/user.slice/job\n", v2_mount);
  tree_.write("/sys/fs/cgroup/user.slice/job/cpu.max", "50000 100000\n");
  EXPECT_EQ(milli(), 500);
  EXPECT_EQ(limits().workers, 1);
  EXPECT_EQ(limits().quota_source, tree_.root() + "/sys/fs/cgroup/user.slice/job/cpu.max");
}

TEST_F(CpuCount, Version2TakesTheTightestAncestor) {
  processes("0::/a/b/c\n", v2_mount);
  tree_.write("/sys/fs/cgroup/a/b/c/cpu.max", "max 100000\n");
  tree_.write("/sys/fs/cgroup/a/b/cpu.max", "150000 100000\n");
  tree_.write("/sys/fs/cgroup/a/cpu.max", "400000 100000\n");
  EXPECT_EQ(milli(), 1500);
  EXPECT_EQ(limits().quota_source, tree_.root() + "/sys/fs/cgroup/a/b/cpu.max");
}

TEST_F(CpuCount, QuotaIsRoundedUpAndNeverAboveTheAffinity) {
  processes("0::/\n", v2_mount);
  const int affinity = static_cast<int>(affinity_cpus().size());
  const auto workers_for = [this](const std::string& quota) {
    tree_.write("/sys/fs/cgroup/cpu.max", quota + " 100000\n");
    return limits().workers;
  };
  EXPECT_EQ(workers_for("1000"), 1);
  EXPECT_EQ(workers_for("100000"), 1);
  EXPECT_EQ(workers_for("100001"), std::min(2, affinity));
  EXPECT_EQ(workers_for("200000"), std::min(2, affinity));
  EXPECT_EQ(workers_for("99999999999999"), affinity);
}

TEST_F(CpuCount, Version1ReadsQuotaAndPeriod) {
  processes("7:memory:/x\n5:cpu,cpuacct:/docker/abc\n", v1_mount);
  tree_.write("/sys/fs/cgroup/cpu/docker/abc/cpu.cfs_quota_us", "25000\n");
  tree_.write("/sys/fs/cgroup/cpu/docker/abc/cpu.cfs_period_us", "50000\n");
  tree_.write("/sys/fs/cgroup/cpu/docker/cpu.cfs_quota_us", "-1\n");
  tree_.write("/sys/fs/cgroup/cpu/docker/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(milli(), 500);
}

TEST_F(CpuCount, Version1TakesTheTightestAncestor) {
  processes("5:cpu:/outer/inner\n", v1_mount);
  tree_.write("/sys/fs/cgroup/cpu/outer/inner/cpu.cfs_quota_us", "-1\n");
  tree_.write("/sys/fs/cgroup/cpu/outer/inner/cpu.cfs_period_us", "100000\n");
  tree_.write("/sys/fs/cgroup/cpu/outer/cpu.cfs_quota_us", "75000\n");
  tree_.write("/sys/fs/cgroup/cpu/outer/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(milli(), 750);
}

TEST_F(CpuCount, HybridTakesTheTighterOfBothHierarchies) {
  processes("5:cpu:/job\n0::/job\n",
            std::string(v1_mount) +
                "34 30 0:31 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate\n");
  tree_.write("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "300000\n");
  tree_.write("/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(milli(), 3000);
  tree_.write("/sys/fs/cgroup/unified/job/cpu.max", "250000 100000\n");
  EXPECT_EQ(milli(), 2500);
}

TEST_F(CpuCount, ContainersRootIsTakenOffThePath) {
  processes("5:cpu,cpuacct:/docker/abc/sub\n",
            "33 30 0:30 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu,cpuacct\n");
  tree_.write("/sys/fs/cgroup/cpu/sub/cpu.cfs_quota_us", "80000\n");
  tree_.write("/sys/fs/cgroup/cpu/sub/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(milli(), 800);
}

TEST_F(CpuCount, RootMatchesWholeComponentsOnly) {
  processes("0::/docker/abcdef\n",
            "33 30 0:30 /docker/abc /elsewhere rw - cgroup2 cgroup rw\n" + std::string(v2_mount));
  tree_.write("/elsewhere/def/cpu.max", "10000 100000\n");
  tree_.write("/elsewhere/cpu.max", "20000 100000\n");
  tree_.write("/sys/fs/cgroup/docker/abcdef/cpu.max", "70000 100000\n");
  EXPECT_EQ(milli(), 700);
}

TEST_F(CpuCount, PathOutsideOfEveryMountFallsBackToTheMountPoint) {
  processes("0::/../moved\n", v2_mount);
  tree_.write("/sys/fs/cgroup/cpu.max", "60000 100000\n");
  EXPECT_EQ(milli(), 600);
}

TEST_F(CpuCount, EscapedCharactersInMountinfo) {
  processes("0::/with space\n", "33 30 0:30 / /sys/my\\040cgroup\\134dir rw - cgroup2 cgroup rw\n");
  tree_.write("/sys/my cgroup\\dir/with space/cpu.max", "90000 100000\n");
  EXPECT_EQ(milli(), 900);
}

TEST_F(CpuCount, ColonsInTheGroupsName) {
  processes("0::/a:b:c\n", v2_mount);
  tree_.write("/sys/fs/cgroup/a:b:c/cpu.max", "40000 100000\n");
  EXPECT_EQ(milli(), 400);
}

TEST_F(CpuCount, MalformedFilesMeanNoQuota) {
  processes("0::/job\n5:cpu:/job\n", std::string(v2_mount) + v1_mount);
  for (const char* text :
       {"", "\n", "max", "100000", "abc def\n", "1 0\n", "-5 100000\n", "0 100000", "1e5 100000\n",
        "99999999999999999999999 100000\n", "1 2 3\n", "\0\xff"}) {
    tree_.write("/sys/fs/cgroup/job/cpu.max", text);
    EXPECT_EQ(milli(), -1) << '"' << text << '"';
    tree_.write("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", text);
    tree_.write("/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "0\n");
    EXPECT_EQ(milli(), -1) << '"' << text << '"';
  }
}

TEST_F(CpuCount, MalformedTablesMeanNoQuota) {
  tree_.write("/sys/fs/cgroup/cpu.max", "50000 100000\n");
  for (const char* cgroup : {"", ":", "::", "0", "0:", "x::/", "0:/\n", "\n\n:::\n"}) {
    processes(cgroup, v2_mount);
    (void)milli();  // no crash; some of them can be read
  }
  for (const char* mounts :
       {"", "-", " - ", "1 2 3 / /sys/fs/cgroup rw - cgroup2\n", "- cgroup2 a b",
        "30 23 0:26 / /sys/fs/cgroup rw cgroup2 cgroup2 rw\n", "\\040 \\9 \\"}) {
    processes("0::/\n", mounts);
    EXPECT_EQ(milli(), -1) << mounts;
  }
}

TEST_F(CpuCount, DirectoryInPlaceOfAFileMeansNoQuota) {
  processes("0::/\n", v2_mount);
  tree_.write("/sys/fs/cgroup/cpu.max/file", "");
  EXPECT_EQ(milli(), -1);
}

TEST(AffinityCpus, GrowsItsMaskUntilTheKernelIsContent) {
  EXPECT_EQ(affinity_cpus(1), affinity_cpus(8192));
  EXPECT_FALSE(affinity_cpus().empty());
}

TEST(AffinityCpus, FollowsTheThreadsMask) {
  const std::vector<int> all = affinity_cpus();
  std::vector<int> narrowed;
  int workers = 0;
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(all.back()), &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
    narrowed = affinity_cpus();
    workers = find_cpu_limits().workers;
  }).join();
  EXPECT_EQ(narrowed, std::vector<int>{all.back()});
  EXPECT_EQ(workers, 1);
}

// A real group below the first writable cpu hierarchy: outer with the quota, inner without, and a
// child process in the inner one.
class RealGroup {
 public:
  RealGroup() : outer_("/sys/fs/cgroup/cpu/heist-test-" + std::to_string(::getpid())) {
    made_ = ::mkdir(outer_.c_str(), 0755) == 0 && ::mkdir((outer_ + "/inner").c_str(), 0755) == 0;
  }
  ~RealGroup() {
    ::rmdir((outer_ + "/inner").c_str());
    ::rmdir(outer_.c_str());
  }
  RealGroup(const RealGroup&) = delete;
  RealGroup& operator=(const RealGroup&) = delete;

  [[nodiscard]] bool set(const std::string& file, long value) const {
    std::ofstream out(outer_ + file);
    out << value << std::flush;
    return made_ && out.good();
  }

 private:
  std::string outer_;
  bool made_ = false;
};

TEST(CpuCountOfTheSystem, SeesARealQuotaOfAnAncestor) {
  const RealGroup group;
  if (!group.set("/cpu.cfs_period_us", 100000) || !group.set("/cpu.cfs_quota_us", 70000)) {
    GTEST_SKIP() << "no writable cgroup v1 cpu hierarchy at /sys/fs/cgroup/cpu";
  }
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (!group.set("/inner/cgroup.procs", ::getpid())) ::_exit(3);
    const cpu_limits found = find_cpu_limits();
    if (!found.quota) ::_exit(4);
    ::_exit(*found.quota == 0.7 && found.workers == 1 && found.quota_source.ends_with("_us") ? 0
                                                                                             : 5);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "3: not moved, 4: no quota seen, 5: a wrong one";
}

TEST(CpuCountOfTheSystem, IsAtLeastOne) {
  const cpu_limits found = find_cpu_limits();
  EXPECT_GE(found.workers, 1);
  EXPECT_LE(found.workers, found.affinity);
}

// ---- Takes a processor out of a thread's mask for a while.

using heist::platform::common_mask;
using heist::platform::current_cpu;
using heist::platform::thread_id;

TEST(Affinity, TheCurrentProcessorIsOneOfTheMask) {
  const std::vector<int> cpus = affinity_cpus();
  const int here = current_cpu();
  EXPECT_NE(std::find(cpus.begin(), cpus.end(), here), cpus.end()) << here;
}

TEST(Affinity, AForbiddenProcessorIsLeftUntilTheMaskIsRestored) {
  const std::vector<int> before = affinity_cpus();
  if (before.size() < 2) GTEST_SKIP() << "one processor";
  common_mask mask;
  mask.note();
  for (const int cpu : before) {
    ASSERT_TRUE(mask.forbid(thread_id(), cpu));
    EXPECT_NE(current_cpu(), cpu);
    EXPECT_EQ(affinity_cpus().size(), before.size() - 1);
    mask.restore(thread_id());
    EXPECT_EQ(affinity_cpus(), before);
  }
}

TEST(Affinity, AThreadWithAnotherMaskIsLeftAlone) {
  const std::vector<int> before = affinity_cpus();
  if (before.size() < 2) GTEST_SKIP() << "one processor";
  common_mask mask;
  mask.note();
  std::thread([&] {
    ASSERT_TRUE(heist::platform::pin_this_thread(before.back()));
    for (const int cpu : before) EXPECT_FALSE(mask.forbid(thread_id(), cpu));
    EXPECT_EQ(affinity_cpus(), std::vector<int>{before.back()});

    common_mask only_one;
    only_one.note();
    EXPECT_FALSE(only_one.forbid(thread_id(), before.back())) << "it has no other";
  }).join();
}

TEST(Affinity, WhatDoesNotExistIsRefused) {
  const std::vector<int> before = affinity_cpus();
  common_mask mask;
  EXPECT_FALSE(mask.forbid(thread_id(), before.front())) << "none has been noted";
  mask.note();
  EXPECT_FALSE(mask.forbid(thread_id(), -1));
  EXPECT_FALSE(mask.forbid(thread_id(), CPU_SETSIZE));
  EXPECT_FALSE(mask.forbid(1 << 30, before.front())) << "no such thread";
  EXPECT_EQ(affinity_cpus(), before);
}

}  // namespace
}  // namespace heist_test
