// A file is there as a whole or not at all; what is no file is written in place.
#include "platform/new_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace heist_test {
namespace {

namespace fs = std::filesystem;
using heist::platform::new_file;
using heist::platform::write_whole_file;

class NewFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "heist-new-file-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const char* name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::string content(const char* name) const {
    std::ifstream in(folder_ / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] long files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
};

TEST_F(NewFile, ReplacesAnOlderOneAtItsEnd) {
  ASSERT_TRUE(write_whole_file(path("a"), "older"));
  ASSERT_EQ(::chmod(path("a").c_str(), 0640), 0);
  {
    new_file file(path("a"));
    file.write("new");
    EXPECT_EQ(content("a"), "older");
    EXPECT_EQ(files(), 2);
    EXPECT_TRUE(file.finish());
  }
  EXPECT_EQ(content("a"), "new");
  EXPECT_EQ(fs::status(path("a")).permissions(), fs::perms(0640));
  EXPECT_EQ(files(), 1);
}

TEST_F(NewFile, ThatIsNotFinishedLeavesNothing) {
  ASSERT_TRUE(write_whole_file(path("a"), "older"));
  new_file(path("a")).write("half");
  EXPECT_EQ(content("a"), "older");
  EXPECT_EQ(files(), 1);
}

TEST_F(NewFile, BehindALinkIsReplacedItself) {
  ASSERT_TRUE(write_whole_file(path("a"), "older"));
  fs::create_symlink("a", path("link"));
  ASSERT_TRUE(write_whole_file(path("link"), "new"));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(content("a"), "new");
}

// What another process has left, or planted, is neither used nor followed.
TEST_F(NewFile, TakesNoNameThatIsThere) {
  const std::string taken = path("a") + ".partial-" + std::to_string(::getpid());
  ASSERT_TRUE(write_whole_file(path("victim"), "kept"));
  fs::create_symlink("victim", taken);
  ASSERT_TRUE(write_whole_file(path("a"), "new"));
  EXPECT_EQ(content("a"), "new");
  EXPECT_EQ(content("victim"), "kept");
  EXPECT_TRUE(fs::is_symlink(taken));
}

TEST_F(NewFile, WhichIsADeviceIsWrittenInPlace) {
  EXPECT_TRUE(write_whole_file("/dev/null", "nothing"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_FALSE(write_whole_file("/dev/full", "too much"));
  EXPECT_EQ(errno, ENOSPC);
}

TEST_F(NewFile, WhichIsThisProgramsOutputIsAddedTo) {
  testing::internal::CaptureStderr();
  std::fputs("before\n", stderr);
  EXPECT_TRUE(write_whole_file("/dev/stderr", "between\n"));
  std::fputs("after\n", stderr);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "before\nbetween\nafter\n");
}

TEST_F(NewFile, SaysWhatIsWrong) {
  EXPECT_FALSE(write_whole_file(path("none/a"), "x"));
  EXPECT_EQ(errno, ENOENT);
  EXPECT_FALSE(write_whole_file(folder_.string(), "x"));
  EXPECT_EQ(errno, EISDIR);
}

}  // namespace
}  // namespace heist_test
