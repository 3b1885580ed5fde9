// The calendar against a sorted list.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "lab/engines/calendar.hpp"
#include "lab/model/random.hpp"

using namespace heist::lab;

TEST(Calendar, IsEmptyAtFirst) { EXPECT_EQ(calendar().next(), calendar::never); }

TEST(Calendar, GivesBackWhatWasAddedByStepAndNumber) {
  rng random(11);
  calendar tested;
  std::map<std::uint64_t, std::set<std::uint32_t>> expected;
  std::uint64_t now = 0;
  std::uint32_t number = 0;
  for (int round = 0; round < 20'000; ++round) {
    // Near, just within and just beyond the ring, far.
    const std::uint64_t delays[] = {1, 1 + random.below(5), 250 + random.below(12),
                                    1 + random.below(100'000)};
    for (auto adding = random.below(3); adding > 0; --adding) {
      const auto step = now + delays[random.below(4)];
      const auto processor = number++ * 7919 % 10007;
      if (!expected[step].insert(processor).second) continue;
      tested.add(step, processor);
    }
    if (expected.empty()) {
      ASSERT_EQ(tested.next(), calendar::never);
      continue;
    }
    if (random.chance(1, 3)) continue;
    const auto first = expected.begin();
    ASSERT_EQ(tested.next(), first->first);
    now = first->first;
    const auto& taken = tested.take();
    ASSERT_EQ(std::vector<std::uint32_t>(first->second.begin(), first->second.end()), taken);
    expected.erase(first);
  }
}
