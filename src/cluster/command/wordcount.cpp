// Words of files, counted block by block: a word belongs to the block in which it begins.
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <heist/cluster/parallel_reduce.hpp>
#include <heist/error.hpp>

#include "cluster/command/programs.hpp"
#include "workloads/wordcount/word_table.hpp"
#include "workloads/wordcount/wordcount.hpp"

namespace heist::cluster_command {

namespace {

constexpr std::uint64_t block_bytes = std::uint64_t{1} << 19;
// A word that is longer than this is no word of a text.
constexpr std::uint64_t most_word_bytes = std::uint64_t{1} << 16;

using counts = std::map<std::string, std::uint64_t>;

class open_file {
 public:
  explicit open_file(std::string path)
      : path_(std::move(path)), descriptor_(open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) refuse(std::strerror(errno));
  }
  ~open_file() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;

  [[nodiscard]] std::uint64_t size() const {
    struct stat status {};
    if (fstat(descriptor_, &status) != 0) refuse(std::strerror(errno));
    if (!S_ISREG(status.st_mode)) refuse("it is no regular file");
    return static_cast<std::uint64_t>(status.st_size);
  }

  // Up to `most` bytes from `at` on; fewer at the end of the file only.
  [[nodiscard]] std::string read(std::uint64_t at, std::uint64_t most) const {
    std::string text(most, '\0');
    std::size_t done = 0;
    while (done < text.size()) {
      const auto count =
          pread(descriptor_, text.data() + done, text.size() - done, static_cast<off_t>(at + done));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) refuse(std::strerror(errno));
      if (count == 0) break;
      done += static_cast<std::size_t>(count);
    }
    text.resize(done);
    if (text.find('\0') != std::string::npos) refuse("it has zero bytes, so it is no text");
    return text;
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw resource_error(fmt::format("{}: {}", path_, why));
  }

 private:
  std::string path_;
  int descriptor_;
};

struct block {
  std::size_t file;
  std::uint64_t at;
};

// The blocks of all files; the name says which files and how large they are.
std::vector<block> blocks_of(const std::vector<std::string>& files, std::string& name) {
  std::vector<block> result;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto size = open_file(files[i]).size();
    name += fmt::format(" {} ({} bytes)", files[i], size);
    for (std::uint64_t at = 0; at < size; at += block_bytes) result.push_back({i, at});
  }
  return result;
}

counts count_block(const std::string& path, std::uint64_t at) {
  const open_file file(path);
  const auto before = at == 0 ? 0 : std::uint64_t{1};
  const auto text = file.read(at - before, before + block_bytes + most_word_bytes);
  if (text.size() <= before) return {};
  // A word that began in the block before is that block's.
  std::size_t first = before;
  if (before != 0 && workloads::is_in_word(text.front())) first = workloads::cut_after(text, 0);
  const auto end = std::min<std::size_t>(text.size(), before + block_bytes);
  if (first >= end) return {};
  auto last = end;
  if (workloads::is_in_word(text[end - 1])) last = workloads::cut_after(text, end);
  if (last == text.size() && last - end == most_word_bytes)
    file.refuse(fmt::format("it has a word of more than {} bytes", most_word_bytes));
  const auto table =
      workloads::count_words_serially(std::string_view(text).substr(first, last - first));
  counts result;
  for (const auto& each : table.most_frequent(table.distinct()))
    result.emplace(each.word, each.count);
  return result;
}

counts merged(counts a, counts b) {
  if (a.size() < b.size()) std::swap(a, b);
  for (auto& [word, count] : b) a[word] += count;
  return a;
}

std::string text_of(const counts& all, std::size_t top) {
  std::uint64_t total = 0;
  std::vector<std::pair<std::string, std::uint64_t>> words(all.begin(), all.end());
  for (const auto& each : words) total += each.second;
  std::sort(words.begin(), words.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  words.resize(std::min(words.size(), top));
  auto text = fmt::format("{} words, {} distinct", total, all.size());
  for (std::size_t i = 0; i < words.size(); ++i)
    text += fmt::format("{} {} {}", i == 0 ? ";" : ",", words[i].first, words[i].second);
  return text;
}

}  // namespace

outcome run_wordcount(cluster::context& in, const wordcount_request& request) {
  outcome result{"wordcount", "", "blocks"};
  std::string name = result.name;
  std::vector<block> blocks;
  try {
    blocks = blocks_of(request.files, name);
  } catch (const resource_error& why) {
    in.refuse(why.what());
  }
  const auto all = cluster::parallel_reduce(
      in, name, {0, blocks.size()}, counts{},
      [&](std::uint64_t i) {
        const auto& each = blocks[static_cast<std::size_t>(i)];
        return count_block(request.files[each.file], each.at);
      },
      merged);
  result.text = text_of(all, request.top);
  return result;
}

}  // namespace heist::cluster_command
