// What stands in a DAG's file, with the places of it: between the parser, which knows JSON, and dag_json.cpp,
// which knows DAGs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "lab/explicit_dag.hpp"

namespace heist::lab {

inline constexpr std::string_view dag_format_name = "heist dag 1";

using text_offset = std::size_t;  // of something's first byte

// Says where something is wrong.
class text_position {
 public:
  text_position(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  [[noreturn]] void fail(text_offset at, std::string_view message) const {
    const auto before = text_.substr(0, std::min(at, text_.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto last_line = before.substr(before.rfind('\n') + 1);
    const auto column = 1 + std::count_if(last_line.begin(), last_line.end(), [](char c) {
                          return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
                        });
    throw usage_error(fmt::format("{}:{}:{}: {}", file_, line, column, message));
  }
  [[noreturn]] void fail(std::string_view message) const {
    throw usage_error(fmt::format("{}: {}", file_, message));
  }
  [[nodiscard]] std::string_view text() const { return text_; }

 private:
  std::string_view text_, file_;
};

struct dag_file_parts {
  struct edge {
    text_offset at = 0;
    std::string from, to;
  };

  dag_source source;  // name and threads; the edges' names are not looked up
  std::vector<text_offset> thread_places;
  std::vector<std::vector<text_offset>> name_places;  // of the instructions, by thread
  std::vector<edge> spawns, joins;
};

// Throws usage_error for what is no JSON, or has not the form of the format.
[[nodiscard]] dag_file_parts parse_dag_file(const text_position& text);

}  // namespace heist::lab
