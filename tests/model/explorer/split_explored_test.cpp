// The split deque's protocol under x86-TSO is sound in every state of the plans, and if one of its
// steps is left out or weakened, some plan fails.
#include <algorithm>
#include <iterator>
#include <ostream>

#include "tests/model/explorer/exploration.hpp"
#include "tests/model/explorer/split_explored.hpp"

namespace heist_explorer {

// For GoogleTest.
void PrintTo(const split_plan& plan, std::ostream* out);
void PrintTo(const split_plan& plan, std::ostream* out) { *out << plan.name; }

namespace {

constexpr split_plan::part nobody{0, ""};

const split_plan plans[] = {
    // For each thread: the number of steps, their kinds, and the first ones. See split_plan.
    {"one_thief", {5, "por"}, {{{3, "sae"}, nobody}}},
    {"overflow", {5, "po"}, {{{2, "sae"}, nobody}}, 1},
    {"asked", {4, "po", "p"}, {{{2, "as"}, {1, "s"}}}, 3, true},
    {"owner_exposes", {4, "pox", "p"}, {{{2, "s"}, {1, "s"}}}},
    {"stale_steal", {4, "po", "po"}, {{{3, "sa", "as"}, {1, "s"}}}},
    {"expose_and_steal", {4, "por", "p"}, {{{2, "se"}, {2, "s"}}}},
    {"two_expose", {4, "po", "ppo"}, {{{1, "e"}, {2, "se"}}}},
    {"reading_asked", {5, "po", "p"}, {{{2, "ta"}, {1, "t"}}}},
    {"reading_exposed", {5, "po", "p"}, {{{2, "ea"}, {1, "t"}}}},
};

split_plan plan_named(const std::string& name) {
  return *std::find_if(std::begin(plans), std::end(plans),
                       [&](const split_plan& p) { return name == p.name; });
}

class SplitExplored : public testing::TestWithParam<split_plan> {};

TEST_P(SplitExplored, IsSound) {
  split_plan plan = GetParam();
  plan.owner.steps += more_steps();
  expect_sound<split_explored>(plan);
}

INSTANTIATE_TEST_SUITE_P(Tso, SplitExplored, testing::ValuesIn(plans),
                         [](const auto& one) { return one.param.name; });

constexpr const char* taken_twice = "I2: an item is taken twice";

const weakened changes[] = {
    {"no_heavy_barrier", change::no_heavy_barrier, "expose_and_steal", taken_twice},
    {"a_fence_for_the_barrier", change::fence_for_barrier, "expose_and_steal", taken_twice},
    {"no_second_look_at_head", change::no_second_look, "expose_and_steal", taken_twice},
    {"pop_tests_split", change::pop_tests_split, "expose_and_steal", taken_twice},
    {"a_reseat_keeps_the_tag", change::reseat_keeps_tag, "stale_steal", taken_twice},
    {"a_take_back_keeps_the_tag", change::take_back_keeps_tag, "reading_asked", taken_twice},
    {"a_proposal_keeps_the_tag", change::proposal_keeps_tag, "two_expose", taken_twice},
    {"a_reseat_raises_head_first", change::head_before_word, "expose_and_steal",
     "I4: a reseat of a deque with items"},
    {"limit_after_the_exposure", change::limit_after_exposure, "asked", "I6: a request is lost"},
    {"head_before_the_slot", change::slot_after_head, "expose_and_steal",
     "I2: what was taken is no item"},
    {"the_low_half_looked_at_once", change::low_looked_at_once, "reading_exposed", taken_twice},
};

class SplitWeakened : public testing::TestWithParam<weakened> {};

TEST_P(SplitWeakened, IsFound) {
  expect_violation<split_explored>(plan_named(GetParam().plan), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Tso, SplitWeakened, testing::ValuesIn(changes),
                         [](const auto& one) { return one.param.name; });

// steal() reads no slot before its exchange, so the item that a stalled thief takes is public at
// the exchange; the tag is an additional protection there.
TEST(SplitKept, ATakeBackMayKeepTheTagWhileThievesReadAfterTheExchange) {
  EXPECT_TRUE(
      explore<split_explored>(plan_named("expose_and_steal"), change::take_back_keeps_tag).sound());
  EXPECT_TRUE(
      explore<split_explored>(plan_named("stale_steal"), change::take_back_keeps_tag).sound());
}

// Only the buffers require this: without them the owner's pop needs no barrier by the thieves.
TEST(SplitKept, WithoutStoreBuffersTheHeavyBarrierIsNotNeeded) {
  running_change = change::no_heavy_barrier;
  const split_plan plan = plan_named("expose_and_steal");
  split_explored model(plan, memory::sc);
  const result r = explorer(model).run(5'000'000);
  running_change = change::none;
  EXPECT_TRUE(r.sound()) << r.told();
}

}  // namespace
}  // namespace heist_explorer
