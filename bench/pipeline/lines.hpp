// What the pipelines of `heist bench pipeline` do: lines are cut off a text, transformed, and put
// together again in order.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace heist::bench {

struct lines {
  std::string text;
  unsigned passes;  // how often each line is transformed
  std::size_t at = 0;
  std::string out{};

  // The stages: the first and the last are called by one thread at a time.
  std::optional<std::string> cut() {
    if (at == text.size()) return std::nullopt;
    const std::size_t end = text.find('\n', at);
    std::string line = text.substr(at, end - at);
    at = end + 1;
    return line;
  }
  // Not inlined: the same instructions for all sides.
  [[nodiscard, gnu::noinline]] std::string change(std::string line) const {
    for (unsigned pass = 0; pass < passes; ++pass)
      for (char& c : line) {
        c = static_cast<char>(c < 'z' ? c + 1 : 'a');
        asm volatile("" : "+m"(c));  // letter by letter, in every build
      }
    return line;
  }
  void put(const std::string& line) {
    out += line;
    out += '\n';
  }
};

// oneTBB's parallel_pipeline with so many threads and 16 tokens; empty where it is not built in.
[[nodiscard]] std::function<void(lines&)> onetbb_lines(unsigned threads);

}  // namespace heist::bench
