#include <gtest/gtest.h>

#include <memory>

#include <heist/error.hpp>
#include <heist/fork_join.hpp>
#include <heist/pool.hpp>

#include "bench/fork_join/fib.hpp"
#include "bench/memory/child.hpp"
#include "bench/memory/peak.hpp"
#include "bench/space/extent_meter.hpp"
#include "bench/space/marked_workloads.hpp"
#include "bench/space/programs.hpp"

namespace heist::bench {
namespace {

constexpr std::size_t array_bytes = 100'000;

// The compiler cannot know what this does with the array, so the whole array has to exist.
void pretend_to_use(void* memory) { asm volatile("" : : "r"(memory) : "memory"); }

// A function whose frame has at least this size.
[[gnu::noinline]] void mark_below_an_array(extent_meter& meter) {
  char array[array_bytes];
  pretend_to_use(array);
  meter.mark();
  pretend_to_use(array);
}

TEST(ExtentMeter, SeesAFrameWholeAndKeepsThePeak) {
  pool on({.workers = 1, .callers = caller_kind::wait});  // always on the same stack
  const auto meter = std::make_unique<extent_meter>(0);
  on.run([&] { meter->mark(); });
  const auto small = meter->peak();
  EXPECT_GT(small, 0u);
  EXPECT_LT(small, array_bytes);
  on.run([&] { mark_below_an_array(*meter); });
  const auto large = meter->peak();
  EXPECT_GE(large, array_bytes);
  EXPECT_LT(large, array_bytes + 20'000);
  on.run([&] { meter->mark(); });
  EXPECT_EQ(meter->peak(), large);
  EXPECT_EQ(meter->largest(), large);
  EXPECT_FALSE(meter->has_overflowed());
}

TEST(ExtentMeter, AddsUpWhatSeveralFibersSpan) {
  pool on({.workers = 2});
  const auto meter = std::make_unique<extent_meter>(0);
  std::atomic<int> there{0};
  // Both are at the bottom of their large frames at the same time.
  const auto meet = [&] {
    char array[array_bytes];
    pretend_to_use(array);
    meter->mark();
    ++there;
    while (there < 2) {
    }
    pretend_to_use(array);
  };
  on.run([&] { fork_join(meet, meet); });
  EXPECT_GE(meter->peak(), 2 * array_bytes);
  EXPECT_GE(meter->largest(), array_bytes);
  EXPECT_LT(meter->largest(), 2 * array_bytes);
}

TEST(ExtentMeter, IgnoresThreadsOutside) {
  const auto meter = std::make_unique<extent_meter>(0);
  meter->mark();
  EXPECT_EQ(meter->peak(), 0u);
}

TEST(SuspendedJoin, SpansLittle) {
  const auto bytes = bytes_of_suspended_join();
  EXPECT_GT(bytes, 0u);
  EXPECT_LT(bytes, 8192u);
}

TEST(Extents, AreNeverLessThanWhatWasMarked) {
  EXPECT_EQ((extents{1000, 500, 1}.with_joins(8, 300)), 1000);
  EXPECT_EQ((extents{1000, 500, 10}.with_joins(8, 300)), 1600);
  EXPECT_THROW(static_cast<void>(extents{0, 0, 1}.with_joins(2, 300)), resource_error);
}

TEST(MeteredPrograms, GiveTheSerialResults) {
  pool on({.workers = 3});
  const auto meter = std::make_unique<extent_meter>(0);
  const auto of_link = fib_by_addition(metered::link_size);
  EXPECT_EQ(on.run([&] { return metered::fib(*meter, 15); }), 610u);
  EXPECT_EQ(on.run([&] { return metered::queens(*meter, 6); }), 4u);
  EXPECT_EQ(on.run([&] { return metered::chain(*meter, 20); }), 20 * of_link);
  EXPECT_EQ(on.run([&] { return metered::reversed_chain(*meter, 20); }), 20 * of_link);
}

}  // namespace
}  // namespace heist::bench

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
