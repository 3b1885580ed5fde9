// Tests the steps in time on plates so small that they can be computed by hand.
#include <heist/error.hpp>

#include "check_workload.hpp"
#include "workloads/heat/heat.hpp"

using namespace heist::workloads;

TEST(Heat, GoesToTheFourNeighbours) {
  const plate on{3, 3};
  std::vector<double> from(on.cells());
  std::vector<double> to(on.cells());
  from[2 * on.stride() + 2] = 16;  // the cell in the middle
  const auto once = spread_heat(on, from, to, 1, serially{});
  EXPECT_EQ(std::vector<double>(once.begin(), once.end()), std::vector<double>({0, 0, 0, 0, 0,  //
                                                                                0, 0, 4, 0, 0,  //
                                                                                0, 4, 0, 4, 0,  //
                                                                                0, 0, 4, 0, 0,  //
                                                                                0, 0, 0, 0, 0}));
  const auto twice = spread_heat(on, to, from, 1, serially{});
  EXPECT_EQ(std::vector<double>(twice.begin(), twice.end()), std::vector<double>({0, 0, 0, 0, 0,  //
                                                                                  0, 2, 0, 2, 0,  //
                                                                                  0, 0, 4, 0, 0,  //
                                                                                  0, 2, 0, 2, 0,  //
                                                                                  0, 0, 0, 0, 0}));
}

TEST(Heat, HasPlatesOfOneCellAndRunsOfNoStep) {
  for (const auto* steps : {"0", "1", "2"}) {
    for (const auto* width : {"1", "7"})
      for (const auto* height : {"1", "5"})
        expect_same_result_everywhere(
            *make_instance("heat", {{"width", width}, {"height", height}, {"steps", steps}}), true);
  }
}

TEST(Heat, NoticesAStepThatWasNotMade) {
  const auto instance = make_instance("heat", {{"width", "20"}, {"height", "20"}, {"steps", "10"}});
  instance->reset();
  EXPECT_NE(instance->mistake(), std::nullopt);
}

TEST(Heat, RefusesBadSizes) {
  EXPECT_THROW(make_instance("heat", {{"width", "0"}}), heist::usage_error);
  EXPECT_THROW(make_instance("heat", {{"steps", "-1"}}), heist::usage_error);
  EXPECT_THROW(make_instance("heat", {{"width", "16777216"}, {"height", "16777216"}}),
               heist::resource_error);
}
