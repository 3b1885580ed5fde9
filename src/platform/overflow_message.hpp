// The line that is written when a fiber's stack is full, made in a handler: without allocation,
// lock or stdio.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace heist::inline v0::platform {

class overflow_message {
 public:
  // `worker`: the number of the worker that the thread is; negative: none.
  overflow_message(std::size_t stack_bytes, int worker) noexcept {
    constexpr std::size_t mebibyte = 1024 * 1024;
    const bool whole_mebibytes = stack_bytes % mebibyte == 0;
    add("heist: stack overflow: a fiber's stack of ");
    add(stack_bytes / (whole_mebibytes ? mebibyte : 1024));
    add(whole_mebibytes ? " MiB is full" : " KiB is full");
    if (worker >= 0) {
      add(" (worker ");
      add(static_cast<std::size_t>(worker));
      add(")");
    }
    add("; raise it with pool_config::stack_size or HEIST_STACK_SIZE\n");
  }

  [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), length_}; }

 private:
  // What doesn't fit is left out.
  void add(std::string_view text) noexcept {
    const std::size_t length = std::min(text.size(), text_.size() - length_);
    std::memcpy(text_.data() + length_, text.data(), length);
    length_ += length;
  }

  void add(std::size_t number) noexcept {
    std::array<char, 20> digits;
    std::size_t first = digits.size();
    do {
      digits[--first] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    add(std::string_view(digits.data() + first, digits.size() - first));
  }

  std::array<char, 256> text_;
  std::size_t length_ = 0;
};

}  // namespace heist::inline v0::platform
