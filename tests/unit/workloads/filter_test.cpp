// Tests the filter on pictures whose blurred form is known.
#include <heist/error.hpp>

#include "check_workload.hpp"
#include "workloads/filter/filter.hpp"

using namespace heist::workloads;

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
