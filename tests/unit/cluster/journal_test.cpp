// The journal's file: read as it was written, and refused with a reason if it is not as written.
#include "cluster/journal.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heist::cluster {
namespace {

using ::testing::HasSubstr;

class Journal : public ::testing::Test {
 protected:
  Journal() {
    std::string pattern = ::testing::TempDir() + "heist-journal-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    path_ = folder_ + "/journal";
  }
  ~Journal() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string content() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void replace(const std::string& content) const {
    std::ofstream(path_, std::ios::binary) << content;
  }

  template <class Error>
  [[nodiscard]] std::string error_of(const std::string& run = "uts T1") const {
    try {
      static_cast<void>(read_journal(path_, run));
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  }

  snapshot some_{.epoch = 3, .bags = {{std::byte{1}, std::byte{2}}, {}, {std::byte{3}}}};
  std::string folder_, path_;
};

TEST_F(Journal, IsReadAsItWasWritten) {
  write_journal(path_, "uts T1", some_);
  const auto read = read_journal(path_, "uts T1");
  EXPECT_EQ(read.epoch, 3u);
  EXPECT_EQ(read.bags, some_.bags);
  some_.epoch = 4;
  write_journal(path_, "uts T1", some_);
  EXPECT_EQ(read_journal(path_, "uts T1").epoch, 4u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1) << "no other file";
}

TEST_F(Journal, OfAnotherRunIsRefused) {
  write_journal(path_, "uts T1", some_);
  EXPECT_EQ(error_of<usage_error>("uts T2"),
            path_ + ": this is the journal of 'uts T1', not of 'uts T2'");
}

TEST_F(Journal, SaysWhyItCannotBeRead) {
  EXPECT_THAT(error_of<resource_error>(), HasSubstr("journal: can't be read: No such file"));
  replace("something else");
  EXPECT_THAT(error_of<usage_error>(), HasSubstr("this is no journal"));
}

TEST_F(Journal, NoDamageIsOverlooked) {
  write_journal(path_, "uts T1", some_);
  const auto good = content();
  for (std::size_t i = 0; i < good.size(); ++i) {
    auto bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 4);
    replace(bad);
    EXPECT_THAT(error_of<usage_error>(), HasSubstr("journal")) << "byte " << i;
    replace(good.substr(0, i));
    EXPECT_THAT(error_of<usage_error>(), HasSubstr("journal")) << "cut at " << i;
  }
  replace(good + "x");
  EXPECT_THAT(error_of<usage_error>(), HasSubstr("damaged"));
}

TEST_F(Journal, AnOlderOneStaysIfThereIsNoPlaceForANewOne) {
  write_journal(path_, "uts T1", some_);
  EXPECT_THROW(write_journal(folder_ + "/none/journal", "uts T1", some_), resource_error);
  EXPECT_EQ(read_journal(path_, "uts T1").epoch, 3u);
}

}  // namespace
}  // namespace heist::cluster
