#include "bench/memory/child.hpp"

#include <gtest/gtest.h>

#include <heist/error.hpp>

#include "bench/memory/peak.hpp"

namespace heist::bench {
namespace {

TEST(OutputOf, IsWhatTheProgramPrints) {
  EXPECT_EQ(output_of("/bin/echo", {"one", "two  three"}), "one two  three\n");
  EXPECT_EQ(output_of("/bin/true", {}), "");
  EXPECT_EQ(output_of("/bin/sh", {"-c", "head -c 100000 /dev/zero"}).size(), 100'000u);
}

TEST(OutputOf, RefusesAProgramThatIsNotThereOrFails) {
  EXPECT_THROW(static_cast<void>(output_of("/nonexistent", {})), resource_error);
  EXPECT_THROW(static_cast<void>(output_of("/bin/false", {})), resource_error);
  EXPECT_THROW(static_cast<void>(output_of("/bin/sh", {"-c", "kill -9 $$"})), resource_error);
}

TEST(NumberIn, FindsTheNumberBehindItsName) {
  EXPECT_EQ(number_in(R"({"a":1,"bytes":4096.0,"c":"x"})", "bytes"), 4096u);
  EXPECT_EQ(number_in(R"({"a":1,"bytes":4096})", "a"), 1u);
  EXPECT_THROW(static_cast<void>(number_in("{}", "bytes")), resource_error);
}

TEST(PeakResidentBytes, IsAtLeastWhatIsTouchedNow) {
  const auto before = peak_resident_bytes();
  ASSERT_GT(before, 0u);
  constexpr std::size_t size = std::size_t{64} << 20;
  std::string touched(size, 'x');
  EXPECT_GE(peak_resident_bytes(), size);
  EXPECT_EQ(touched.back(), 'x');
}

}  // namespace
}  // namespace heist::bench
