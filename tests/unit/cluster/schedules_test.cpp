// The protocol under many random schedules: each item once, an end, and snapshots from which the
// run could go on. Each fact that a step of the protocol brings about is missed when that step is
// left out.
#include <cstdint>
#include <cstdlib>

#include <gtest/gtest.h>

#include "heist/detail/sanitizers.hpp"
#include "scheduled_cluster.hpp"

namespace heist::cluster_test {
namespace {

using cluster::protocol_step;
using cluster::rank;

// Sanitizers make a schedule thirty times slower, and find nothing more in more of them.
constexpr std::uint64_t usual_schedules = HEIST_ASAN || HEIST_TSAN ? 2'000 : 20'000;

std::uint64_t schedules() {
  return std::getenv("HEIST_LONG_TESTS") != nullptr ? 1'000'000 : usual_schedules;
}

// A schedule of its own for each seed, with all that varies.
schedule_settings settings_of(std::uint64_t seed) {
  lab::rng random(seed, 1);
  schedule_settings s;
  s.seed = seed;
  s.nodes = static_cast<rank>(random.between(1, 9));
  s.snapshot_odds = random.chance(1, 2) ? random.between(2, 40) : 0;
  s.protocol.tries = static_cast<std::uint32_t>(random.below(4));
  s.protocol.victims =
      random.chance(1, 2) ? cluster::victim_rule::uniform : cluster::victim_rule::distance;
  s.protocol.nodes_each_host = static_cast<rank>(random.between(1, 4));
  if (random.chance(1, 8)) s.protocol.thieves = cluster::thief_rule::random;
  return s;
}

std::uint64_t items_of(std::uint64_t seed) { return 1 + lab::rng(seed, 2).below(120); }

// A protocol without one step.
template <protocol_step LeftOut>
struct without {
  static constexpr bool has(protocol_step step) noexcept { return step != LeftOut; }
};

// Why a schedule went wrong; "" if it did not.
template <class Seam = cluster::whole_protocol>
std::string fault_of(const schedule_settings& settings, numbered_bag first) {
  const auto items = first.items;
  scheduled_cluster<Seam> cluster(settings, std::move(first));
  if (!cluster.run()) return "no end";
  if (cluster.result().items != items || !cluster.result().has_each_once()) return "result";
  for (const auto& taken : cluster.snapshots()) {
    auto rest = merged(taken);
    rest.process(UINT64_MAX);
    if (!rest.has_each_once()) return "snapshot";
  }
  return {};
}

TEST(Cluster, ProcessesEachItemOnceUnderAnySchedule) {
  std::uint64_t snapshots = 0;
  for (std::uint64_t seed = 1; seed <= schedules(); ++seed) {
    const auto settings = settings_of(seed);
    ASSERT_EQ(fault_of(settings, numbered_bag::root(items_of(seed))), "") << "seed " << seed;
    if (seed > 1000) continue;
    scheduled_cluster<> again(settings, numbered_bag::root(items_of(seed)));
    again.run();
    snapshots += again.snapshots().size();
  }
  EXPECT_GT(snapshots, 500u) << "too few snapshots were looked at";
}

// How many of the seeds notice that a step is missing.
template <class Seam>
std::uint64_t noticed_without(std::uint64_t seeds) {
  std::uint64_t noticed = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    auto settings = settings_of(seed);
    settings.most_steps = 20'000;
    if (!fault_of<Seam>(settings, numbered_bag::root(items_of(seed))).empty()) ++noticed;
  }
  return noticed;
}

TEST(Cluster, EachStepOfTheProtocolIsNeeded) {
  constexpr std::uint64_t seeds = usual_schedules;
  EXPECT_EQ(noticed_without<cluster::whole_protocol>(seeds / 10), 0u);
  EXPECT_GT(noticed_without<without<protocol_step::second_wave>>(seeds), 0u);
  EXPECT_GT(noticed_without<without<protocol_step::passive_answers>>(seeds), 0u);
  EXPECT_GT(noticed_without<without<protocol_step::mark_before_merge>>(seeds), 0u);
  EXPECT_GT(noticed_without<without<protocol_step::late_work>>(seeds), 0u);
}

// A schedule in which a node dies at some time.
schedule_settings deadly_settings_of(std::uint64_t seed) {
  auto settings = settings_of(seed);
  lab::rng random(seed, 3);
  settings.nodes = std::max<rank>(settings.nodes, 2);
  settings.snapshot_odds = random.between(2, 20);
  settings.kill_at = random.between(1, 400);
  settings.protocol.heartbeat_ns = 2'000'000;
  settings.protocol.silence_ns = 10'000'000;
  return settings;
}

TEST(Cluster, ADeathEndsTheRunEverywhereAndNamesTheNode) {
  std::uint64_t deaths = 0;
  for (std::uint64_t seed = 1; seed <= schedules() / 4; ++seed) {
    const auto settings = deadly_settings_of(seed);
    scheduled_cluster<> cluster(settings, numbered_bag::root(items_of(seed)));
    ASSERT_TRUE(cluster.run()) << "seed " << seed;
    if (!cluster.dead()) continue;
    for (rank i = 0; i < settings.nodes; ++i) {
      if (i == *cluster.dead() || !cluster.at(i).why_failed()) continue;
      ++deaths;
      ASSERT_EQ(cluster.at(i).why_failed()->at, *cluster.dead()) << "seed " << seed;
    }
  }
  EXPECT_GT(deaths, schedules() / 20);
}

TEST(Cluster, GoesOnFromTheLastSnapshotOnFewerNodes) {
  std::uint64_t resumed = 0;
  for (std::uint64_t seed = 1; seed <= schedules() / 4; ++seed) {
    const auto settings = deadly_settings_of(seed);
    const auto items = items_of(seed);
    scheduled_cluster<> cluster(settings, numbered_bag::root(items));
    ASSERT_TRUE(cluster.run()) << "seed " << seed;
    if (!cluster.dead() || cluster.snapshots().empty()) continue;
    ++resumed;
    auto rest = settings;
    rest.kill_at.reset();
    rest.nodes -= 1;
    rest.seed += 7;
    ASSERT_EQ(fault_of(rest, merged(cluster.snapshots().back())), "") << "seed " << seed;
  }
  EXPECT_GT(resumed, schedules() / 40);
}

TEST(Cluster, AFailureThatIsNotPassedOnIsNoticed) {
  std::uint64_t noticed = 0;
  for (std::uint64_t seed = 1; seed <= schedules() / 10; ++seed) {
    auto settings = deadly_settings_of(seed);
    settings.nodes = 30;  // three levels
    settings.kill_at = 200;
    settings.most_steps = 20'000;
    // Without it, a node learns of the death only when its own neighbours fall silent, one level
    // after another, and then blames those.
    scheduled_cluster<without<protocol_step::stop_is_passed_on>> cluster(settings,
                                                                         numbered_bag::root(100));
    if (!cluster.run() || !cluster.dead()) continue;
    for (rank i = 0; i < settings.nodes; ++i)
      if (const auto& why = cluster.at(i).why_failed(); why && why->at != *cluster.dead()) {
        ++noticed;
        break;
      }
  }
  EXPECT_GT(noticed, 0u);
}

}  // namespace
}  // namespace heist::cluster_test
