// n instructions, one after the other: no parallelism at all.
#pragma once

#include <cstdint>

#include "lab/model/program.hpp"

namespace heist::lab {

struct chain_program {
  struct frame {
    std::uint64_t left;
  };

  std::uint64_t length = 1;

  [[nodiscard]] frame root() const { return {length}; }
  [[nodiscard]] std::uint64_t weight(const frame&) const { return 1; }
  [[nodiscard]] std::uint64_t hint(const frame& f) const { return f.left; }
  [[nodiscard]] place_among place(const frame&) const { return {}; }

  action execute(frame& f, frame&) const {
    return {false, --f.left == 0 ? action::next::ends : action::next::goes_on};
  }
};

}  // namespace heist::lab
