// Tests the picture in memory and as a file that libpng reads again.
#include <gmock/gmock.h>
#include <png.h>

#include <heist/error.hpp>

#include "check_workload.hpp"
#include "tests/unit/platform/temporary_tree.hpp"
#include "workloads/mandelbrot/mandelbrot.hpp"

using namespace heist::workloads;

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
