// Tests the sorts on inputs that defeat careless pivots and careless merges, and on files.
#include <algorithm>
#include <numeric>
#include <string>

#include <gmock/gmock.h>

#include <heist/error.hpp>

#include "check_workload.hpp"
#include "tests/unit/platform/temporary_tree.hpp"
#include "workloads/cilksort/cilksort.hpp"
#include "workloads/mergesort/mergesort.hpp"
#include "workloads/quicksort/quicksort.hpp"
#include "workloads/samplesort/samplesort.hpp"
#include "workloads/sort/input.hpp"

using namespace heist::workloads;
using ::testing::HasSubstr;

namespace {

using integers = std::vector<std::int64_t>;

integers quicksorted(integers values, std::size_t cutoff) {
  quicksort(std::span(values), cutoff, forked{});
  return values;
}

integers mergesorted(integers values, std::size_t cutoff) {
  integers buffer(values.size());
  mergesort(std::span(values), std::span(buffer), sorted_into::values, cutoff, forked{});
  return values;
}

integers cilksorted(integers values, std::size_t cutoff) {
  integers buffer(values.size());
  cilksort(std::span(values), std::span(buffer), cutoff, forked{});
  return values;
}

integers samplesorted(const integers& values, std::size_t ranges) {
  integers sorted(values.size());
  std::vector<std::uint16_t> numbers(values.size());
  samplesort(std::span(values), std::span(sorted), std::span(numbers), ranges, forked{});
  return sorted;
}

class SortOrder : public testing::TestWithParam<std::string> {};

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  auto name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

void expect_refused(const std::string& path, const std::string& reason) {
  for (const auto* sort : {"quicksort", "mergesort", "cilksort", "samplesort"}) {
    try {
      make_instance(sort, {{"file", path}});
      ADD_FAILURE() << sort << " took " << path;
    } catch (const heist::resource_error& error) {
      EXPECT_THAT(error.what(), HasSubstr(path));
      EXPECT_THAT(error.what(), HasSubstr(reason));
    }
  }
}

}  // namespace

TEST_P(SortOrder, IsSortedAtEverySizeAndCutoff) {
  for (const std::size_t size : {0u, 1u, 2u, 3u, 9u, 100u, 1000u, 4096u}) {
    const auto input = generate_integers(size, 7, GetParam());
    auto expected = input;
    std::sort(expected.begin(), expected.end());
    for (const std::size_t cutoff : {1u, 2u, 64u, 5000u}) {
      EXPECT_EQ(quicksorted(input, cutoff), expected) << size << " integers, cutoff " << cutoff;
      EXPECT_EQ(mergesorted(input, cutoff), expected) << size << " integers, cutoff " << cutoff;
      EXPECT_EQ(cilksorted(input, cutoff), expected) << size << " integers, cutoff " << cutoff;
    }
    for (const std::size_t ranges : {1u, 2u, 7u, 256u})
      EXPECT_EQ(samplesorted(input, ranges), expected) << size << " integers, " << ranges;
  }
}

TEST_P(SortOrder, IsTheSameOnEveryPool) {
  const option_texts options = {{"order", GetParam()}, {"size", "3000"}, {"cutoff", "16"}};
  expect_same_result_everywhere(*make_instance("quicksort", options));
  expect_same_result_everywhere(*make_instance("mergesort", options));
  expect_same_result_everywhere(*make_instance("cilksort", options));
}

INSTANTIATE_TEST_SUITE_P(Every, SortOrder, testing::ValuesIn(input_orders()), test_name);

TEST(Quicksort, FallsBackWhenThePivotsAreBad) {
  integers values = generate_integers(10'000, 3, "random");
  quicksort(std::span(values), 1, 2, forked{});  // two levels only
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
}

TEST(Cilksort, FallsBackWhenThePivotsAreBad) {
  integers values = generate_integers(10'000, 3, "random");
  quick_sort(std::span(values), 2);  // two levels only
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
}

TEST(Samplesort, IsTheSameOnEveryPoolIfItsLoopsHaveTwoBlocks) {
  expect_same_result_everywhere(
      *make_instance("samplesort", {{"size", "70000"}, {"buckets", "16"}}), true);
}

TEST(Samplesort, PutsValuesBetweenTheirSplitters) {
  const auto values = generate_integers(5000, 1, "exponential");
  const splitters between(values, 16);
  std::vector<std::pair<std::size_t, std::int64_t>> placed;
  for (const auto value : values) placed.emplace_back(between.bucket_of(value), value);
  std::sort(placed.begin(), placed.end());
  EXPECT_LT(placed.back().first, between.buckets());
  for (std::size_t i = 1; i < placed.size(); ++i) {
    EXPECT_LE(placed[i - 1].second, placed[i].second);
    if (placed[i].first % 2 == 1 && placed[i - 1].first == placed[i].first) {
      EXPECT_EQ(placed[i - 1].second, placed[i].second);
    }
  }
}

TEST(Sort, DistributionsHaveAFewEqualIntegers) {
  for (const auto* order : {"uniform", "exponential"}) {
    auto values = generate_integers(100'000, 1, order);
    const auto sum = std::accumulate(values.begin(), values.end(), 0.0);
    EXPECT_NEAR(sum / 1e10, order == std::string("uniform") ? 0.5 : 1, 0.02) << order;
    std::sort(values.begin(), values.end());
    EXPECT_GE(values.front(), 0);
    const auto distinct = std::unique(values.begin(), values.end()) - values.begin();
    EXPECT_GT(distinct, 40'000) << order;
    EXPECT_LT(distinct, 90'000) << order;
  }
}

TEST(Sort, EqualSeedsGiveEqualInput) {
  EXPECT_EQ(generate_integers(100, 5, "random"), generate_integers(100, 5, "random"));
  EXPECT_NE(generate_integers(100, 5, "random"), generate_integers(100, 6, "random"));
}

TEST(Sort, NoticesAnUnsortedResult) {
  const auto instance = make_instance("quicksort", {{"size", "100"}});
  instance->reset();
  EXPECT_THAT(instance->mistake().value_or(""), HasSubstr("less than the one before"));
}

TEST(Sort, ReadsIntegersFromAFile) {
  const integers values = {5, -1, 3, INT64_MAX, INT64_MIN};
  const heist_test::temporary_tree files;
  files.write("/five",
              {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0])});
  const auto path = files.root() + "/five";
  expect_same_result_everywhere(*make_instance("mergesort", {{"file", path}}));
  EXPECT_EQ(make_instance("quicksort", {{"file", path}})->result(), "5 integers");
}

TEST(Sort, RefusesFilesWithoutWholeIntegers) {
  const heist_test::temporary_tree files;
  files.write("/empty", "");
  files.write("/odd", "123456789");
  expect_refused(files.root() + "/absent", "No such file");
  expect_refused(files.root() + "/empty", "empty");
  expect_refused(files.root() + "/odd", "9 bytes");
  expect_refused(files.root(), "Is a directory");
}

TEST(Sort, RefusesASizeThatDoesNotFitTheMemory) {
  for (const auto* sort : {"quicksort", "mergesort", "cilksort", "samplesort"}) {
    try {
      make_instance(sort, {{"size", "1000000000000000"}});
      ADD_FAILURE() << sort << " took a petabyte";
    } catch (const heist::resource_error& error) {
      EXPECT_THAT(error.what(), HasSubstr("--size 1000000000000000"));
      EXPECT_THAT(error.what(), HasSubstr("available"));
    }
  }
}
