// How soon a search finds what there is.
#include <gtest/gtest.h>

#include "heist/heist.hpp"
#include "runtime/worker.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

class Search : public testing::TestWithParam<heist::deque_kind> {};

// A victim that random choices never name is tried all the same. Every worker's generator stands at 0, where it stays: each
// attempt goes to worker 0, or by worker 0 to worker 1.
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
  // Which worker runs a submitted function isn't ours to say.
  EXPECT_TRUE(eventually([&] {
    pool.run(one_on_a_far_worker);
    return found == 3 || HasFailure();
  }));
}

INSTANTIATE_TEST_SUITE_P(Deques, Search, testing::ValuesIn(heist::all_deque_kinds),
                         [](const auto& kind) { return std::string(to_string(kind.param)); });

}  // namespace
}  // namespace heist_test
