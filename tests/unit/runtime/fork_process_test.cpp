// What the child of fork() can do with inherited pools.
#include <gtest/gtest.h>

#include <optional>
#include <tuple>

#include "heist/heist.hpp"
#include "tests/unit/runtime/child.hpp"

namespace heist_test {
namespace {

const auto one_and_two = [] {
  return heist::fork_join([] { return 1; }, [] { return 2; }) == std::tuple(1, 2);
};

class ForkProcess : public testing::Test {
 protected:
  void SetUp() override {
    if (tsan) GTEST_SKIP() << "ThreadSanitizer lets no child of several threads start one";
    if (emulated) GTEST_SKIP() << "qemu fails an assertion of its own in such a child";
  }
};

TEST_F(ForkProcess, TheChildGetsADefaultPoolOfItsOwn) {
  ASSERT_TRUE(one_and_two());
  const heist::pool* const ours = &heist::default_pool();
  EXPECT_EQ(in_forked_child([&] {
              if (!one_and_two()) return 1;
              if (&heist::default_pool() == ours) return 2;
              return heist::default_pool().stats().total.roots >= 1 ? 0 : 3;
            }),
            0);
  EXPECT_TRUE(one_and_two());
  EXPECT_EQ(&heist::default_pool(), ours);
}

TEST_F(ForkProcess, TheGrandchildToo) {
  ASSERT_TRUE(one_and_two());
  EXPECT_EQ(in_forked_child([&] {
              if (!one_and_two()) return 1;
              return in_forked_child([] { return one_and_two() ? 0 : 2; });
            }),
            0);
}

TEST_F(ForkProcess, AnInheritedPoolIsRefusedWithAReason) {
  heist::pool pool({.workers = 2});
  EXPECT_EQ(pool.run([] { return 1; }), 1);
  EXPECT_EQ(in_forked_child([&] {
              try {
                pool.run([] {});
              } catch (const heist::usage_error&) {
                return 0;
              }
              return 1;
            }),
            0);
  EXPECT_EQ(pool.run([] { return 2; }), 2);
}

TEST_F(ForkProcess, TheChildMayDestroyWhatItInherited) {
  std::optional<heist::pool> pool;
  pool.emplace(heist::pool_config{.workers = 3});
  EXPECT_EQ(in_forked_child([&] {
              pool.reset();
              heist::pool other({.workers = 2});
              return other.run(one_and_two) ? 0 : 1;
            }),
            0);
  EXPECT_TRUE(pool->run(one_and_two));
}

class ForkInWorker : public ForkProcess, public testing::WithParamInterface<heist::deque_kind> {
 protected:
  // Calls fork() on a worker, with an open fork; returns the child's exit code.
  template <class Body>
  int forked_in_worker(Body&& body) {
    heist::pool pool({.workers = 1, .deque = GetParam()});
    return pool.run([&] {
      return std::get<0>(heist::fork_join([&] { return in_forked_child(body); }, [] { return 1; }));
    });
  }
};

TEST_P(ForkInWorker, TheChildsForksAreCalls) {
  EXPECT_EQ(forked_in_worker([] { return one_and_two() && one_and_two() ? 0 : 1; }), 0);
}

TEST_P(ForkInWorker, TheChildCanUseTheDefaultPoolAndOthers) {
  ASSERT_TRUE(one_and_two());
  EXPECT_EQ(forked_in_worker([] {
              if (!heist::default_pool().run(one_and_two)) return 1;
              heist::pool other({.workers = 2});
              if (!other.run(one_and_two)) return 2;
              return heist::fork_join([&] { return other.run([] { return 1; }); },
                                      [] { return 2; }) == std::tuple(1, 2)
                         ? 0
                         : 3;
            }),
            0);
}

TEST_P(ForkInWorker, TheChildMayDestroyThePoolThatItCameFrom) {
  std::optional<heist::pool> pool;
  pool.emplace(heist::pool_config{.workers = 2, .deque = GetParam()});
  EXPECT_EQ(pool->run([&] {
    return in_forked_child([&] {
      pool.reset();
      return one_and_two() ? 0 : 1;
    });
  }),
            0);
}

INSTANTIATE_TEST_SUITE_P(Deques, ForkInWorker, testing::ValuesIn(heist::all_deque_kinds),
                         [](const auto& p) { return std::string(to_string(p.param)); });

}  // namespace
}  // namespace heist_test
