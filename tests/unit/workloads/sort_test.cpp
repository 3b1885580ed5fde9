// Tests the sorts on inputs that defeat careless pivots and careless merges, and on files.
#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <string>

#include <heist/error.hpp>

#include "check_workload.hpp"
#include "tests/unit/platform/temporary_tree.hpp"
#include "workloads/cilksort/cilksort.hpp"
#include "workloads/mergesort/mergesort.hpp"
#include "workloads/quicksort/quicksort.hpp"
#include "workloads/samplesort/samplesort.hpp"
#include "workloads/sort/input.hpp"
#include "workloads/wordcount/text.hpp"
#include "workloads/wordcount/wordcount.hpp"

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

// ----
// Compares the counts of words with a std::map that is filled in the simple way, at every cutoff,
// and on files.

namespace {

using word_counts = std::map<std::string, std::uint64_t>;

word_counts counted_plainly(std::string_view text) {
  word_counts counts;
  std::string word;
  for (const char c : std::string(text) + ' ') {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || (c & 0x80) != 0) {
      word += c;
    } else if (!word.empty()) {
      ++counts[word];
      word.clear();
    }
  }
  return counts;
}

word_counts as_map(const word_table& table) {
  word_counts counts;
  for (const auto& each : table.most_frequent(table.distinct()))
    counts[std::string(each.word)] = each.count;
  return counts;
}

void expect_counted(const std::string& text) {
  const auto expected = counted_plainly(text);
  EXPECT_EQ(as_map(count_words_serially(text)), expected);
  for (const std::size_t cutoff : {1u, 2u, 17u, 1000u})
    EXPECT_EQ(as_map(count_words(text, cutoff, forked{})), expected) << "cutoff " << cutoff;
}

std::string refusal(const std::vector<std::string>& files) {
  try {
    make_instance("wordcount", {}, files);
  } catch (const heist::resource_error& error) {
    return error.what();
  }
  return "taken";
}

}  // namespace

TEST(Wordcount, CountsWhatAMapCounts) {
  expect_counted("");
  expect_counted(" \n\t ");
  expect_counted("one");
  expect_counted("it's one, two; one\ntwo... ONE");
  expect_counted(
      "gr\xc3\xbc\xc3\x9f"
      "e und gr\xc3\xbc\xc3\x9f"
      "e");
  std::string two_long_words(10'001, 'a');
  two_long_words[5000] = ' ';
  expect_counted(two_long_words + " b");
  expect_counted(generate_text(20'000, 3));
}

TEST(Wordcount, GrowsItsTableAndKeepsEveryWord) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += std::to_string(i) + ' ';
  const auto table = count_words_serially(text);
  EXPECT_EQ(table.distinct(), 20'000u);
  EXPECT_EQ(table.total(), 20'000u);
}

TEST(Wordcount, TellsWordsWithOneHashApart) {
  word_table table;
  table.add("first", 42, 1);
  table.add("second", 42, 2);
  table.add("first", 42, 3);
  EXPECT_EQ(as_map(table), (word_counts{{"first", 4}, {"second", 2}}));
}

TEST(Wordcount, OrdersTheMostFrequentWords) {
  const auto table = count_words_serially("b a b c a d");
  std::vector<std::string_view> words;
  for (const auto& each : table.most_frequent(3)) words.push_back(each.word);
  EXPECT_EQ(words, (std::vector<std::string_view>{"a", "b", "c"}));
}

TEST(Wordcount, HasAChecksumThatSeesOneCount) {
  EXPECT_EQ(count_words_serially("a b a").checksum(), count_words_serially("b a a").checksum());
  EXPECT_NE(count_words_serially("a b a").checksum(), count_words_serially("b a b").checksum());
}

TEST(Wordcount, ReadsAllFilesAndKeepsTheirWordsApart) {
  const heist_test::temporary_tree files;
  files.write("/one", "left right");
  files.write("/nothing", "");
  files.write("/two", "right");
  const auto at = [&](const char* name) { return files.root() + name; };
  const auto instance =
      make_instance("wordcount", {{"top", "1"}}, {at("/one"), at("/nothing"), at("/two")});
  expect_same_result_everywhere(*instance);
  EXPECT_EQ(instance->result(), "3 words, 2 distinct; right 2");
}

TEST(Wordcount, RefusesWhatIsNotText) {
  const heist_test::temporary_tree files;
  files.write("/binary", std::string("text\0text", 9));
  files.write("/empty", "");
  const auto at = [&](const char* name) { return files.root() + name; };
  EXPECT_EQ(refusal({at("/binary")}), "'" + at("/binary") + "' is not a text: byte 4 is zero");
  EXPECT_EQ(refusal({at("/empty")}), "'" + at("/empty") + "' is empty: no words to count");
  EXPECT_THAT(refusal({at("/empty"), at("/empty")}), HasSubstr("the 2 files are empty"));
  EXPECT_EQ(refusal({at("/absent")}),
            "cannot read '" + at("/absent") + "': No such file or directory");
  EXPECT_EQ(refusal({files.root()}), "cannot read '" + files.root() + "': Is a directory");
  EXPECT_THAT(refusal({"/dev/zero"}),
              HasSubstr("byte 0 is zero"));  // and does not read it to the end
}

TEST(Wordcount, RefusesASizeThatDoesNotFitTheMemory) {
  EXPECT_THROW(make_instance("wordcount", {{"size", "1000000000000000"}}), heist::resource_error);
}
