// The simulated cluster: exact results, times that make sense, and the same ones each time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

#include "cluster/journal.hpp"
#include "cluster/simulated/simulation.hpp"
#include "cluster/simulated/units_bag.hpp"
#include "heist/detail/sanitizers.hpp"
#include "numbered_bag.hpp"
#include "scheduled_cluster.hpp"

namespace heist::cluster::simulated {
namespace {

struct outcome {
  simulation_result figures;
  units_bag result;
};

outcome run_units(const simulation_settings& settings, std::uint64_t units) {
  std::unique_ptr<work> end;
  outcome all;
  all.figures = simulate(
      settings,
      [units](rank i) {
        return std::make_unique<work_of<units_bag>>(units_bag{i == 0 ? units : 0, 0});
      },
      &end);
  all.result = dynamic_cast<work_of<units_bag>&>(*end).get();
  return all;
}

simulation_settings settings_of(rank nodes) {
  simulation_settings s;
  s.nodes = nodes;
  s.chunk_items = 10;
  s.host_latency_ns = s.latency_ns;
  return s;
}

TEST(SimulatedCluster, OneNodeTakesTheTimeOfItsItems) {
  const auto alone = run_units(settings_of(1), 12'345);
  EXPECT_EQ(alone.result.done, 12'345u);
  EXPECT_EQ(alone.figures.time_ns, 12'345'000);
  EXPECT_EQ(alone.figures.sums.messages_in, 0u);
}

TEST(SimulatedCluster, ProcessesEachItemForAnyNumberOfNodes) {
  for (const rank nodes : {2u, 3u, 17u, 500u}) {
    const auto all = run_units(settings_of(nodes), 100'000);
    EXPECT_EQ(all.result.done, 100'000u) << nodes;
    EXPECT_EQ(all.figures.items, 100'000u) << nodes;
    EXPECT_GE(all.figures.time_ns, 1e8 / nodes) << "faster than all nodes at work";
    EXPECT_GT(all.figures.termination_ns, 2 * settings_of(nodes).latency_ns)
        << "a node cannot know at once";
  }
}

TEST(SimulatedCluster, TheSameSeedGivesTheSameRun) {
  auto settings = settings_of(40);
  settings.jitter = 0.3;
  const auto first = run_units(settings, 50'000).figures;
  const auto again = run_units(settings, 50'000).figures;
  EXPECT_EQ(first.time_ns, again.time_ns);
  EXPECT_EQ(first.sums.messages_in, again.sums.messages_in);
  settings.protocol.seed = 2;
  EXPECT_NE(run_units(settings, 50'000).figures.sums.messages_in, first.sums.messages_in);
}

// The bound is on the mean; with these numbers the deviation is far smaller than the distance.
TEST(SimulatedCluster, RandomStealingKeepsTheBoundOfTheLiterature) {
  for (const rank nodes : {8u, 64u, 256u}) {
    auto settings = settings_of(nodes);
    settings.chunk_items = 1;
    settings.protocol.thieves = thief_rule::random;
    settings.protocol.victims = victim_rule::uniform;
    constexpr int seeds = 5;
    double sum_ns = 0;
    for (int i = 1; i <= seeds; ++i) {
      settings.protocol.seed = static_cast<std::uint64_t>(i);
      sum_ns += run_units(settings, 200'000).figures.time_ns;
    }
    EXPECT_LE(sum_ns / seeds, random_stealing_bound_ns(2e8, nodes, settings.latency_ns)) << nodes;
  }
}

TEST(SimulatedCluster, AllKnowOfADeathWithinTheSilence) {
  auto settings = settings_of(100);
  settings.protocol.heartbeat_ns = 100'000;
  settings.protocol.silence_ns = 1'000'000;
  settings.dies = death{7, 300'000};
  const auto figures = run_units(settings, 10'000'000).figures;
  ASSERT_TRUE(figures.failed);
  EXPECT_EQ(figures.failed->at, 7u);
  EXPECT_EQ(figures.failed->text, "nothing was heard of it for 1 ms");
  EXPECT_GT(figures.failure_known_ns, 900'000);
  EXPECT_LT(figures.failure_known_ns, 1'000'000 + 2 * 100'000 + 8 * 2 * 10'000);
}

TEST(SimulatedCluster, AQuietNeighbourIsNotTakenForDead) {
  auto settings = settings_of(30);
  settings.protocol.heartbeat_ns = 100'000;
  settings.protocol.silence_ns = 300'000;
  const auto all = run_units(settings, 300'000);
  EXPECT_FALSE(all.figures.failed);
  EXPECT_EQ(all.result.done, 300'000u);
}

TEST(SimulatedCluster, TakesSnapshotsMeanwhile) {
  auto settings = settings_of(20);
  settings.snapshot_ns = 200'000;
  const auto all = run_units(settings, 100'000);
  EXPECT_EQ(all.result.done, 100'000u);
  EXPECT_GE(all.figures.snapshots, 5u);
}

// A bag whose split is refused, or whose items are few, must not keep the others from the end.
TEST(SimulatedCluster, ATreeThatIsAChainEnds) {
  auto settings = settings_of(9);
  std::unique_ptr<work> end;
  const auto figures = simulate(
      settings,
      [](rank i) {
        return std::make_unique<work_of<cluster_test::numbered_bag>>(
            i == 0 ? cluster_test::numbered_bag::root(2) : cluster_test::numbered_bag{});
      },
      &end);
  EXPECT_EQ(figures.items, 2u);
  EXPECT_TRUE(dynamic_cast<work_of<cluster_test::numbered_bag>&>(*end).get().has_each_once());
  EXPECT_FALSE(figures.ramp_up_ns) << "most nodes never worked";
}

}  // namespace
}  // namespace heist::cluster::simulated

// ---- The journal's file: read as it was written, and refused with a reason if it is not as
// written.
namespace heist::cluster {
namespace {

using ::testing::HasSubstr;

class Journal : public ::testing::Test {
 protected:
  Journal() {
    std::string pattern = ::testing::TempDir() + "heist-journal-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    path_ = folder_ + "/journal";
  }
  ~Journal() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string content() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void replace(const std::string& content) const {
    std::ofstream(path_, std::ios::binary) << content;
  }

  template <class Error>
  [[nodiscard]] std::string error_of(const std::string& run = "uts T1") const {
    try {
      static_cast<void>(read_journal(path_, run));
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  }

  snapshot some_{.epoch = 3, .bags = {{std::byte{1}, std::byte{2}}, {}, {std::byte{3}}}};
  std::string folder_, path_;
};

TEST_F(Journal, IsReadAsItWasWritten) {
  write_journal(path_, "uts T1", some_);
  const auto read = read_journal(path_, "uts T1");
  EXPECT_EQ(read.epoch, 3u);
  EXPECT_EQ(read.bags, some_.bags);
  some_.epoch = 4;
  write_journal(path_, "uts T1", some_);
  EXPECT_EQ(read_journal(path_, "uts T1").epoch, 4u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1) << "no other file";
}

TEST_F(Journal, OfAnotherRunIsRefused) {
  write_journal(path_, "uts T1", some_);
  EXPECT_EQ(error_of<usage_error>("uts T2"),
            path_ + ": this is the journal of 'uts T1', not of 'uts T2'");
}

TEST_F(Journal, SaysWhyItCannotBeRead) {
  EXPECT_THAT(error_of<resource_error>(), HasSubstr("journal: can't be read: No such file"));
  replace("something else");
  EXPECT_THAT(error_of<usage_error>(), HasSubstr("this is no journal"));
}

TEST_F(Journal, NoDamageIsOverlooked) {
  write_journal(path_, "uts T1", some_);
  const auto good = content();
  for (std::size_t i = 0; i < good.size(); ++i) {
    auto bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 4);
    replace(bad);
    EXPECT_THAT(error_of<usage_error>(), HasSubstr("journal")) << "byte " << i;
    replace(good.substr(0, i));
    EXPECT_THAT(error_of<usage_error>(), HasSubstr("journal")) << "cut at " << i;
  }
  replace(good + "x");
  EXPECT_THAT(error_of<usage_error>(), HasSubstr("damaged"));
}

TEST_F(Journal, AnOlderOneStaysIfThereIsNoPlaceForANewOne) {
  write_journal(path_, "uts T1", some_);
  EXPECT_THROW(write_journal(folder_ + "/none/journal", "uts T1", some_), resource_error);
  EXPECT_EQ(read_journal(path_, "uts T1").epoch, 3u);
}

}  // namespace
}  // namespace heist::cluster

// ----
// The protocol under many random schedules: each item once, an end, and snapshots from which the
// run could go on. Each fact that a step of the protocol brings about is missed when that step is
// left out.

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
