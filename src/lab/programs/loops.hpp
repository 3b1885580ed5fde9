// A parallel loop inside a parallel loop, both divided by halves down to one iteration.
#pragma once

#include <cstdint>

#include "lab/model/program.hpp"

namespace heist::lab {

struct loops_program {
  struct frame {
    std::uint64_t count;  // iterations of this part
    std::uint32_t at;
    bool is_inner;
  };

  std::uint64_t outer = 100, inner = 100, work = 10;

  [[nodiscard]] frame root() const { return {outer, 0, false}; }
  [[nodiscard]] std::uint64_t weight(const frame& f) const { return is_body(f) ? work : 1; }
  [[nodiscard]] std::uint64_t hint(const frame& f) const {
    return f.count * work * (f.is_inner ? 1 : inner);
  }
  [[nodiscard]] bool waits_next(const frame& f) const { return f.at == (f.count == 1 ? 1U : 2U); }
  [[nodiscard]] place_among place(const frame&) const { return {}; }

  action execute(frame& f, frame& child) const {
    using enum action::next;
    if (is_body(f)) return {false, ends};
    const std::uint32_t children = f.count == 1 ? 1 : 2;  // the inner loop, or two halves
    const auto at = f.at++;
    if (at >= children) return {false, at == children ? waits : ends};
    if (f.count == 1)
      child = {inner, 0, true};
    else
      child = {at == 0 ? f.count / 2 : f.count - f.count / 2, 0, f.is_inner};
    return {true, goes_on};
  }

 private:
  [[nodiscard]] static bool is_body(const frame& f) { return f.is_inner && f.count == 1; }
};

}  // namespace heist::lab
