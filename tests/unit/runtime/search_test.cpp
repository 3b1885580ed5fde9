// Tests how soon a search finds the existing work.
#include <gtest/gtest.h>

#include "heist/heist.hpp"
#include "runtime/core/worker.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

class Search : public testing::TestWithParam<heist::deque_kind> {};

// A victim that is never chosen at random is tried nevertheless. Every worker's generator is at 0,
// where it remains: each attempt goes to worker 0, or, if worker 0 makes it, to worker 1.
TEST_P(Search, TriesEveryVictimWhateverIsDrawn) {
  if (is_serial()) GTEST_SKIP() << "nothing is stolen";
  heist::pool pool({.workers = 4,
                    .deque = GetParam(),
                    .victim = heist::victim_kind::random,
                    .idle = heist::idle_kind::spin,
                    .on_thread_start = [](unsigned) { heist::detail::self_worker().random = 0; }});
  int found = 0;
  const auto one_on_a_far_worker = [&found] {
    if (heist::detail::self_worker().index < 2) return;
    signal_flag begun;
    bool in_time = false;
    heist::scope(heist::spawn_kind::child, [&](heist::task_scope& s) {
      s.spawn([&begun] { begun.raise(); });
      in_time = eventually([&begun] { return begun.is_up(); });
    });
    EXPECT_TRUE(in_time) << heist::describe_pools();
    ++found;
  };
  // The test cannot choose which worker runs a submitted function.
  EXPECT_TRUE(eventually([&] {
    pool.run(one_on_a_far_worker);
    return found == 3 || HasFailure();
  }));
}

INSTANTIATE_TEST_SUITE_P(Deques, Search, testing::ValuesIn(heist::all_deque_kinds),
                         [](const auto& kind) { return std::string(to_string(kind.param)); });

}  // namespace
}  // namespace heist_test
