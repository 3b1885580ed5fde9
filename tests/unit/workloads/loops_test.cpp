// Tests the programs of loops: heat on plates so small that it can be computed by hand, filtered
// pictures whose blurred form is known, clusters that are found by hand, and the picture of the set
// of Mandelbrot in memory and as a file that libpng reads again.
#include <gmock/gmock.h>

#include <png.h>

#include <heist/error.hpp>

#include "check_workload.hpp"
#include "tests/unit/platform/temporary_tree.hpp"
#include "workloads/filter/filter.hpp"
#include "workloads/heat/heat.hpp"
#include "workloads/kmeans/kmeans.hpp"
#include "workloads/mandelbrot/mandelbrot.hpp"

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

namespace {

std::vector<std::uint8_t> blurred(picture_size size, const std::vector<std::uint8_t>& picture,
                                  std::size_t strip) {
  std::vector<std::uint16_t> sums(size.pixels());
  std::vector<std::uint8_t> result(size.pixels());
  blur(size, picture, sums, result, strip, forked{});
  return result;
}

}  // namespace

TEST(Filter, SpreadsOnePixelByTheWeights) {
  const picture_size size{7, 7};
  std::vector<std::uint8_t> picture(size.pixels());
  picture[3 * 7 + 3] = 255;
  const std::vector<std::uint8_t> expected = {0, 0, 0,  0,  0,  0, 0,  //
                                              0, 1, 4,  6,  4,  1, 0,  //
                                              0, 4, 16, 24, 16, 4, 0,  //
                                              0, 6, 24, 36, 24, 6, 0,  //
                                              0, 4, 16, 24, 16, 4, 0,  //
                                              0, 1, 4,  6,  4,  1, 0,  //
                                              0, 0, 0,  0,  0,  0, 0};
  for (const std::size_t strip : {1u, 2u, 3u, 100u})
    EXPECT_EQ(blurred(size, picture, strip), expected) << "strips of " << strip;
}

TEST(Filter, LeavesAPlainPictureAsItIs) {
  for (const std::size_t width : {1u, 2u, 3u, 4u, 5u, 6u})
    for (const std::size_t height : {1u, 2u, 5u}) {
      const std::vector<std::uint8_t> picture(width * height, 255);
      EXPECT_EQ(blurred({width, height}, picture, 2), picture) << width << " x " << height;
    }
}

TEST(Filter, IsTheSameOnEveryPool) {
  expect_same_result_everywhere(
      *make_instance("filter",
                     {{"width", "41"}, {"height", "30"}, {"strip", "4"}, {"passes", "3"}}),
      true);
  for (const auto* width : {"1", "2", "3", "4", "9"})
    for (const auto* height : {"1", "2", "3"})
      expect_same_result_everywhere(
          *make_instance("filter",
                         {{"width", width}, {"height", height}, {"strip", "1"}, {"passes", "2"}}),
          true);
}

TEST(Filter, NoticesAPictureThatIsNotBlurred) {
  const auto instance = make_instance("filter", {{"width", "40"}, {"height", "40"}});
  instance->reset();
  EXPECT_NE(instance->mistake(), std::nullopt);
}

TEST(Filter, RefusesBadOptions) {
  EXPECT_THROW(make_instance("filter", {{"strip", "0"}}), heist::usage_error);
  EXPECT_THROW(make_instance("filter", {{"passes", "0"}}), heist::usage_error);
  EXPECT_THROW(make_instance("filter", {{"width", "16777216"}, {"height", "16777216"}}),
               heist::resource_error);
}

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

TEST(Mandelbrot, KnowsWhatIsInTheSet) {
  EXPECT_EQ(escape_time(0, 0, 500), 500u);   // a fixed point
  EXPECT_EQ(escape_time(-1, 0, 500), 500u);  // a cycle of two
  EXPECT_EQ(escape_time(2, 2, 500), 1u);     // outside from the first step on
  EXPECT_LT(escape_time(0.3, 0, 500), 500u);
}

TEST(Mandelbrot, WritesAPictureThatCanBeRead) {
  const heist_test::temporary_tree files;
  const auto path = files.root() + "/set.png";
  const auto instance = make_instance(
      "mandelbrot", {{"width", "60"}, {"height", "41"}, {"iterations", "100"}, {"output", path}});
  instance->run_serial();
  instance->write_output();

  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  ASSERT_NE(png_image_begin_read_from_file(&image, path.c_str()), 0) << image.message;
  EXPECT_EQ(image.width, 60u);
  EXPECT_EQ(image.height, 41u);
  image.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> rgb(PNG_IMAGE_SIZE(image));
  ASSERT_NE(png_image_finish_read(&image, nullptr, rgb.data(), 0, nullptr), 0) << image.message;
  const auto inside = rgb.begin() + 3 * (20 * 60 + 45);  // the middle row, at 0.02
  EXPECT_EQ(std::vector<std::uint8_t>(inside, inside + 3), std::vector<std::uint8_t>({0, 0, 0}));
  EXPECT_NE(std::vector<std::uint8_t>(rgb.begin(), rgb.begin() + 3),
            std::vector<std::uint8_t>({0, 0, 0}));
}

TEST(Mandelbrot, RefusesAFileThatCannotBeWrittenBeforeItDraws) {
  try {
    make_instance("mandelbrot", {{"output", "/nowhere/at/all.png"}});
    ADD_FAILURE() << "took it";
  } catch (const heist::resource_error& error) {
    EXPECT_STREQ(error.what(), "cannot write '/nowhere/at/all.png': No such file or directory");
  }
  EXPECT_THROW(make_instance("mandelbrot", {{"output", "/"}}), heist::resource_error);
}

TEST(Mandelbrot, SaysThatTheDiskIsFull) {
  const auto instance =
      make_instance("mandelbrot", {{"width", "500"}, {"height", "500"}, {"output", "/dev/full"}});
  instance->reset();
  try {
    instance->write_output();
    ADD_FAILURE() << "wrote it";
  } catch (const heist::resource_error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("cannot write '/dev/full'"));
  }
}

TEST(Mandelbrot, RefusesASizeThatDoesNotFitTheMemory) {
  EXPECT_THROW(make_instance("mandelbrot", {{"width", "1000000"}, {"height", "1000000"}}),
               heist::resource_error);
}
