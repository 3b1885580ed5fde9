// The tree search: its hash, its published counts, and how deep its recursion goes.
#include <cstdlib>

#include "check_workload.hpp"
#include "tests/unit/platform/sanitizers.hpp"
#include "workloads/uts/count.hpp"

using namespace heist::workloads;

namespace {

const sample_tree& sample(std::string_view name) {
  for (const auto& each : sample_trees())
    if (each.parameters.name == name) return each;
  throw std::logic_error("no such tree");
}

// Forks like the serial form, and records the deepest nesting of forks.
struct measuring {
  static constexpr bool is_parallel = true;
  int* depth;
  int* deepest;

  template <class F, class G>
  auto operator()(F&& f, G&& g) const {
    *deepest = std::max(*deepest, ++*depth);
    auto results = serially{}(f, g);
    --*depth;
    return results;
  }
};

class SampleTree : public testing::TestWithParam<std::string> {};

}  // namespace

TEST(Sha1, GivesTheDigestsOfTheStandard) {
  // "abc" with its padding: the example of FIPS 180-4.
  const std::array<std::uint32_t, 16> abc = {0x61626380, 0, 0, 0, 0, 0, 0, 0,
                                             0,          0, 0, 0, 0, 0, 0, 24};
  EXPECT_EQ(sha1_of_block(abc),
            (sha1_digest{0xa9993e36, 0x4706816a, 0xba3e2571, 0x7850c26c, 0x9cd0d89d}));
  // The hashes of twenty and of twenty-four zero bytes, by sha1sum.
  EXPECT_EQ(sha1_of_20_bytes({}),
            (sha1_digest{0x6768033e, 0x21646824, 0x7bd031a0, 0xa2d9876d, 0x79818f8f}));
  EXPECT_EQ(sha1_of_24_bytes({}, 0),
            (sha1_digest{0xd3399b72, 0x62fb56cb, 0x9ed053d6, 0x8db9291c, 0x410839c4}));
}

TEST_P(SampleTree, HasThePublishedCounts) {
  if (heist_test::asan || heist_test::tsan)
    GTEST_SKIP() << "twenty million nodes in all; the presets' tests walk a small tree";
  const auto instance = make_instance("uts", {{"tree", GetParam()}});
  instance->run_serial();
  EXPECT_EQ(instance->mistake(), std::nullopt);
  heist::pool pool{{.workers = 2}};
  pool.run([&] { instance->run(); });
  EXPECT_EQ(instance->mistake(), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Every, SampleTree, testing::Values("T1", "T2", "T3", "T4", "T5"),
                         [](const auto& tree) { return tree.param; });

TEST(Uts, WalksTheDeepestTreeWithinADefaultStack) {
  if (std::getenv("HEIST_LONG_TESTS") == nullptr)
    GTEST_SKIP() << "111 million nodes take 40 s: run by `.ci/run long`";
  const auto instance = make_instance("uts", {{"tree", "T3L"}});
  instance->run();
  EXPECT_EQ(instance->mistake(), std::nullopt);
}

TEST(Uts, RecursesLittleInADeepTree) {
  int depth = 0;
  int deepest = 0;
  const auto& tree = sample("T3");
  const auto counts =
      count_tree(heist::workloads::tree(tree.parameters), measuring{&depth, &deepest});
  EXPECT_EQ(counts.nodes, tree.published.nodes);
  EXPECT_EQ(counts.depth, 1572u);
  EXPECT_EQ(deepest, levels_of_forks);
}

TEST(Uts, NoticesAWrongCount) {
  const auto instance = make_instance("uts", {});
  instance->reset();
  EXPECT_NE(instance->mistake(), std::nullopt);
}
