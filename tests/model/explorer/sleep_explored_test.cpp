// Sleeping under x86-TSO: at the end no thread sleeps beside an item, and if a step is left out or
// weakened, some thread does.
#include <algorithm>
#include <iterator>
#include <ostream>

#include "tests/model/explorer/exploration.hpp"
#include "tests/model/explorer/sleep_explored.hpp"

namespace heist_explorer {

// For GoogleTest.
void PrintTo(const sleep_plan& plan, std::ostream* out);
void PrintTo(const sleep_plan& plan, std::ostream* out) { *out << plan.name; }

namespace {

constexpr unsigned for_ever = sleep_plan::for_ever;
constexpr sleep_plan::part nobody{0, ""};

const sleep_plan plans[] = {
    {"one_sleeper", {4, "pol"}, {{{for_ever, "sez"}, nobody}}},
    {"two_sleepers", {1, "pl"}, {{{for_ever, "sz"}, {for_ever, "sz"}}}},
};

class SleepExplored : public testing::TestWithParam<sleep_plan> {};

TEST_P(SleepExplored, IsSound) {
  sleep_plan plan = GetParam();
  plan.owner.steps += more_steps();
  expect_sound<sleep_explored>(plan);
}

INSTANTIATE_TEST_SUITE_P(Tso, SleepExplored, testing::ValuesIn(plans),
                         [](const auto& one) { return one.param.name; });

// This is too large for an exhaustive search here, but a violation is found long before the end.
const sleep_plan two_items = {"two_items", {2, "pl"}, {{{for_ever, "sz"}, {for_ever, "sz"}}}};

sleep_plan plan_named(const std::string& name) {
  if (name == two_items.name) return two_items;
  return *std::find_if(std::begin(plans), std::end(plans),
                       [&](const sleep_plan& p) { return name == p.name; });
}

constexpr const char* lost = "somebody sleeps beside an item";

const weakened changes[] = {
    {"no_barrier", change::no_sleepers_barrier, "two_sleepers", lost},
    {"a_fence_for_the_barrier", change::fence_for_sleepers_barrier, "two_sleepers", lost},
    {"request_before_the_count", change::request_before_count, "one_sleeper", lost},
    {"count_after_the_barrier", change::count_after_barrier, "one_sleeper", lost},
    {"look_at_the_public_part_only", change::public_look_only, "two_sleepers", lost},
    {"epoch_after_the_look", change::epoch_after_look, "one_sleeper", lost},
    {"no_second_request", change::no_second_request, "two_items", lost},
    {"no_fence_to_wake", change::no_fence_to_wake, "one_sleeper", lost},
    {"count_looked_at_before_the_exposure", change::count_before_exposure, "one_sleeper", lost},
};

class SleepWeakened : public testing::TestWithParam<weakened> {};

TEST_P(SleepWeakened, IsFound) {
  expect_violation<sleep_explored>(plan_named(GetParam().plan), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Tso, SleepWeakened, testing::ValuesIn(changes),
                         [](const auto& one) { return one.param.name; });

// A sleeper's request that the owner erases came after the sleeper was counted, and the owner reads
// the count after it has erased the request. Therefore I6 matters only for thieves that are awake.
TEST(SleepKept, LimitMayBeRestoredAfterTheExposureWhereSleepersAreConcerned) {
  EXPECT_TRUE(
      explore<sleep_explored>(plan_named("one_sleeper"), change::limit_after_exposure).sound());
}

// Only the buffers require this: without them a push comes before the owner's look at limit anyway.
TEST(SleepKept, WithoutStoreBuffersTheBarrierIsNotNeeded) {
  running_change = change::no_sleepers_barrier;
  const sleep_plan plan = plan_named("one_sleeper");
  sleep_explored model(plan, memory::sc);
  const result r = explorer(model).run(5'000'000);
  running_change = change::none;
  EXPECT_TRUE(r.sound()) << r.told();
}

}  // namespace
}  // namespace heist_explorer
