#include <algorithm>

#include <fmt/format.h>

#include "workloads/constructs.hpp"
#include "workloads/memory.hpp"
#include "workloads/registry.hpp"
#include "workloads/wordcount/text.hpp"
#include "workloads/wordcount/wordcount.hpp"

namespace heist::workloads {

namespace {

class wordcount_instance final : public instance {
 public:
  wordcount_instance(std::string text, std::size_t cutoff, std::size_t top)
      : text_(std::move(text)), cutoff_(cutoff != 0 ? cutoff : suitable_cutoff()), top_(top) {}

  void reset() override { table_ = {}; }
  void run_serial() override { table_ = count_words_serially(text_); }
  void run_with(const execution& how) override {
    run_with_forks(how, [&](auto fork) { table_ = count_words(text_, cutoff_, fork); });
  }

  std::string result() const override {
    std::string top;
    for (const auto& each : table_.most_frequent(top_))
      top += fmt::format("{}{} {}", top.empty() ? "; " : ", ", each.word, each.count);
    return fmt::format("{} words, {} distinct{}", table_.total(), table_.distinct(), top);
  }

  std::uint64_t checksum() const override { return table_.checksum(); }
  work_count work() const override { return {static_cast<double>(text_.size()), "bytes"}; }

 private:
  // Each piece has a table of its own that must be filled and merged. Pieces must therefore be
  // large compared with the vocabulary of a language, and still numerous enough for all workers.
  [[nodiscard]] std::size_t suitable_cutoff() const {
    return std::clamp<std::size_t>(text_.size() / 16, 64 << 10, 2 << 20);
  }

  std::string text_;
  std::size_t cutoff_;
  std::size_t top_;
  word_table table_;
};

class wordcount_workload final : public workload {
 public:
  std::string_view name() const override { return "wordcount"; }
  std::string_view summary() const override {
    return "counts the words of text files, or of a generated text";
  }

  profile describe() const override {
    return {.shape = "forks",
            .stresses = "a reduction with large partial results",
            .source = "an index of words, by halves"};
  }
  std::vector<option_spec> options() const override {
    constexpr std::int64_t most = std::int64_t{1} << 60;
    return {files_option("files", "the text files; without any, a text is generated"),
            integer_option("size", "bytes of the generated text", 32'000'000, 1, most),
            integer_option("seed", "of the generated text", 1, 0, most),
            integer_option("cutoff", "bytes from which on a text is not cut; 0: by its size", 0, 0,
                           most),
            integer_option("top", "how many of the most frequent words to show", 5, 0, 1000)};
  }

  std::unique_ptr<instance> make(const option_values& values) const override {
    return std::make_unique<wordcount_instance>(text(values), values.size("cutoff"),
                                                values.size("top"));
  }

 private:
  static std::string text(const option_values& values) {
    if (!values.files().empty()) {
      values.refuse({"size", "seed"}, "files");
      return read_texts(values.files());
    }
    const auto size = values.size("size");
    require_memory(fmt::format("wordcount --size {}", size), saturating_product(size, 2));
    return generate_text(size, values.size("seed"));
  }
};

}  // namespace

std::unique_ptr<const workload> make_wordcount() { return std::make_unique<wordcount_workload>(); }

}  // namespace heist::workloads
