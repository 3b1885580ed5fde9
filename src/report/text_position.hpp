// Messages about a file that was read: they begin with its name, the line and the column.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include <heist/error.hpp>

namespace heist::report {

using text_offset = std::size_t;  // in bytes

// The text of a file, which can say where in it something is wrong.
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

}  // namespace heist::report
