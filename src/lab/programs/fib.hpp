// fib(n) by its recurrence: a thread spawns fib(n - 1) and fib(n - 2), joins both and adds.
#pragma once

#include <cstdint>

#include "lab/model/program.hpp"

namespace heist::lab {

struct fib_program {
  struct frame {
    std::uint16_t n, at;
  };

  std::uint16_t n = 25;

  [[nodiscard]] frame root() const { return {n, 0}; }
  [[nodiscard]] std::uint64_t weight(const frame&) const { return 1; }
  [[nodiscard]] std::uint64_t hint(const frame& f) const { return f.n; }
  [[nodiscard]] bool waits_next(const frame& f) const { return f.at == 2; }
  [[nodiscard]] place_among place(const frame&) const { return {}; }

  action execute(frame& f, frame& child) const {
    using enum action::next;
    if (f.n < 2) return {false, ends};
    switch (f.at++) {
      case 0:
        child = {static_cast<std::uint16_t>(f.n - 1), 0};
        return {true, goes_on};
      case 1:
        child = {static_cast<std::uint16_t>(f.n - 2), 0};
        return {true, goes_on};
      case 2:
        return {false, waits};
      default:
        return {false, ends};
    }
  }
};

}  // namespace heist::lab
