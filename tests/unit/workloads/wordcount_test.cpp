// Compares the counts of words with a std::map that is filled in the simple way, at every cutoff,
// and on files.
#include <cctype>
#include <map>

#include <gmock/gmock.h>

#include <heist/error.hpp>

#include "check_workload.hpp"
#include "tests/unit/platform/temporary_tree.hpp"
#include "workloads/wordcount/text.hpp"
#include "workloads/wordcount/wordcount.hpp"

using namespace heist::workloads;
using ::testing::HasSubstr;

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
