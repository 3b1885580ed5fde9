// Options are checked when they are set, and the message names the allowed values.
#include <gmock/gmock.h>

#include <limits>

#include <heist/error.hpp>

#include "check_workload.hpp"
#include "tests/unit/platform/temporary_tree.hpp"
#include "workloads/memory.hpp"
#include "workloads/options.hpp"

using namespace heist::workloads;

namespace {

option_values sample_values() {
  return {"sample",
          {integer_option("n", "a number", 7, -3, 100),
           choice_option("kind", "one", "a", {"a", "b"}), path_option("output", "a file")}};
}

std::string complaint(std::string_view option, std::string_view text) {
  auto values = sample_values();
  try {
    values.set(option, text);
  } catch (const heist::usage_error& error) {
    return error.what();
  }
  return "taken";
}

}  // namespace

TEST(Options, StartWithTheirDefaults) {
  const auto values = sample_values();
  EXPECT_EQ(values.integer("n"), 7);
  EXPECT_EQ(values.text("kind"), "a");
  EXPECT_EQ(values.text("output"), "");
  EXPECT_TRUE(values.files().empty());
}

TEST(Options, KeepWhatIsSet) {
  auto values = sample_values();
  values.set("n", "-3");
  values.set("kind", "b");
  values.set("output", "there");
  EXPECT_EQ(values.integer("n"), -3);
  EXPECT_EQ(values.text("kind"), "b");
  EXPECT_EQ(values.text("output"), "there");
}

TEST(Options, RefuseWhatIsNoIntegerInRange) {
  for (const auto* text : {"", "x", "1x", " 1", "1.5", "1e3", "-4", "101", "99999999999999999999"})
    EXPECT_EQ(complaint("n", text),
              "sample --n must be an integer from -3 to 100, not '" + std::string(text) + "'");
}

TEST(Options, RefuseWhatIsNotAmongTheChoices) {
  EXPECT_EQ(complaint("kind", "c"), "sample --kind must be one of a, b, not 'c'");
}

TEST(Options, RefuseUnknownNames) {
  EXPECT_EQ(complaint("size", "1"), "sample has no option --size");
  auto values = sample_values();
  EXPECT_THROW(values.add_file("x"), heist::usage_error);
}

TEST(Options, OfBytesTakeASuffix) {
  const option_spec room{"room", "", option_kind::bytes, "", 1024, std::int64_t{3} << 30, {}};
  const std::pair<const char*, std::size_t> sizes[] = {{"1024", 1024},
                                                       {"1K", 1024},
                                                       {"1k", 1024},
                                                       {"7M", 7u << 20},
                                                       {"7m", 7u << 20},
                                                       {"3G", std::size_t{3} << 30},
                                                       {"3145728K", std::size_t{3} << 30}};
  for (const auto& [text, bytes] : sizes) {
    option_values values("sample", {room});
    EXPECT_FALSE(values.is_given("room"));
    values.set("room", text);
    EXPECT_TRUE(values.is_given("room"));
    EXPECT_EQ(values.size("room"), bytes) << text;
  }
  for (const auto* text : {"", "K", "1023", "4G", "-1K", "1KB", "1.5M", "9223372036854775807G"}) {
    option_values values("sample", {room});
    try {
      values.set("room", text);
      ADD_FAILURE() << text;
    } catch (const heist::usage_error& error) {
      EXPECT_EQ(std::string(error.what()),
                "sample --room must be a number of bytes from 1K to 3G, suffix K, M or G, not '" +
                    std::string(text) + "'");
    }
  }
}

TEST(Options, OfEveryWorkloadHaveDefaultsThatAreAllowed) {
  for (const auto* workload : all()) {
    option_values values(workload->name(), workload->options());
    for (const auto& spec : workload->options()) {
      EXPECT_FALSE(spec.help.empty()) << workload->name() << " --" << spec.name;
      if (spec.kind == option_kind::files) continue;
      EXPECT_NO_THROW(values.set(spec.name, spec.default_value)) << workload->name();
    }
  }
}

// ---- The available memory of made-up machines and cgroups, and the refusal of sizes that do not
// fit.

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
