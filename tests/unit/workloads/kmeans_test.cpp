// Tests clusters that are found by hand.
#include <heist/error.hpp>

#include "check_workload.hpp"
#include "workloads/kmeans/kmeans.hpp"

using namespace heist::workloads;

TEST(KMeans, FindsTwoClustersOnALine) {
  clustering state({.points = 6, .dimensions = 1, .clusters = 2, .block = 4});
  state.points = {0, 1, 2, 10, 11, 12};
  state.centres = {0, 2};
  find_clusters(state, 1, forked{});
  EXPECT_EQ(state.cluster_of, std::vector<std::uint32_t>({0, 0, 1, 1, 1, 1}));  // 1: the first one
  EXPECT_EQ(state.centres, std::vector<double>({0.5, 8.75}));
  EXPECT_EQ(state.errors, std::vector<double>({1 + 64 + 81 + 100}));
  find_clusters(state, 2, forked{});
  EXPECT_EQ(state.cluster_of, std::vector<std::uint32_t>({0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(state.centres, std::vector<double>({1, 11}));
  EXPECT_EQ(state.errors.back(), 4);
}

TEST(KMeans, LeavesACentreWithoutPointsWhereItIs) {
  clustering state({.points = 2, .dimensions = 2, .clusters = 2, .block = 1});
  state.points = {1, 1, 3, 1};
  state.centres = {0, 0, 50, 60};
  find_clusters(state, 1, forked{});
  EXPECT_EQ(state.centres, std::vector<double>({2, 1, 50, 60}));
}

TEST(KMeans, IsTheSameOnEveryPool) {
  expect_same_result_everywhere(
      *make_instance("kmeans", {{"points", "1000"}, {"block", "70"}, {"rounds", "4"}}), true);
  for (const auto* points : {"1", "2", "7"})
    for (const auto* rounds : {"0", "1", "3"})
      expect_same_result_everywhere(*make_instance("kmeans", {{"points", points},
                                                              {"clusters", "1"},
                                                              {"dimensions", "1"},
                                                              {"block", "2"},
                                                              {"rounds", rounds}}),
                                    true);
}

TEST(KMeans, NoticesRoundsThatWereNotMade) {
  const auto instance = make_instance("kmeans", {{"points", "100"}});
  instance->reset();
  EXPECT_NE(instance->mistake(), std::nullopt);
}

TEST(KMeans, RefusesBadOptions) {
  EXPECT_THROW(make_instance("kmeans", {{"points", "5"}, {"clusters", "6"}}), heist::usage_error);
  EXPECT_THROW(make_instance("kmeans", {{"block", "0"}}), heist::usage_error);
  EXPECT_THROW(make_instance("kmeans", {{"points", "4294967296"}, {"dimensions", "1024"}}),
               heist::resource_error);
}
