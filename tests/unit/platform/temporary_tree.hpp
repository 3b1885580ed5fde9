// A folder of made-up files that is removed at the end of the test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace heist_test {

class temporary_tree {
 public:
  temporary_tree() {
    std::string pattern = (std::filesystem::temp_directory_path() / "heist-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp: " + pattern);
    root_ = pattern;
  }

  ~temporary_tree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  temporary_tree(const temporary_tree&) = delete;
  temporary_tree& operator=(const temporary_tree&) = delete;

  // `path` begins with a slash and is below root().
  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  [[nodiscard]] const std::string& root() const { return root_; }

 private:
  std::string root_;
};

}  // namespace heist_test
