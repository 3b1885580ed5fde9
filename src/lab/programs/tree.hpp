// A complete tree: a thread spawns k children and joins them; the leaves, `depth` levels down,
// work.
#pragma once

#include <cstdint>

#include "lab/model/program.hpp"

namespace heist::lab {

struct tree_program {
  struct frame {
    std::uint32_t level, at;  // levels above the leaves
  };

  std::uint32_t children = 2, depth = 10;
  std::uint64_t leaf_work = 1;

  [[nodiscard]] frame root() const { return {depth, 0}; }
  [[nodiscard]] std::uint64_t weight(const frame& f) const { return f.level == 0 ? leaf_work : 1; }
  [[nodiscard]] std::uint64_t hint(const frame& f) const { return f.level; }
  [[nodiscard]] bool waits_next(const frame& f) const { return f.at == children; }
  [[nodiscard]] place_among place(const frame&) const { return {}; }

  action execute(frame& f, frame& child) const {
    using enum action::next;
    if (f.level == 0) return {false, ends};
    const auto at = f.at++;
    if (at < children) {
      child = {f.level - 1, 0};
      return {true, goes_on};
    }
    return {false, at == children ? waits : ends};
  }
};

}  // namespace heist::lab
