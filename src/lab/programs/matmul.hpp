// The product of two matrices by halving: eight products of half the size, four at a time, as the
// second four add to what the first four wrote. Blocks are multiplied serially, in as many steps as
// they have multiplications.
#pragma once

#include <cstdint>

#include "lab/model/program.hpp"

namespace heist::lab {

struct matmul_program {
  struct frame {
    std::uint32_t n, at;
  };

  std::uint32_t n = 256, block = 16;  // n: a power of two

  [[nodiscard]] frame root() const { return {n, 0}; }
  [[nodiscard]] std::uint64_t weight(const frame& f) const { return is_block(f) ? cube(f.n) : 1; }
  [[nodiscard]] std::uint64_t hint(const frame& f) const { return cube(f.n); }
  [[nodiscard]] bool waits_next(const frame& f) const { return f.at % 6 == 4; }
  [[nodiscard]] place_among place(const frame&) const { return {}; }

  // A thread makes four spawns, an instruction and a sync, and then the same once more.
  action execute(frame& f, frame& child) const {
    using enum action::next;
    if (is_block(f)) return {false, ends};
    const auto at = f.at++;
    if (at % 6 < 4) {
      child = {f.n / 2, 0};
      return {true, goes_on};
    }
    return {false, at % 6 == 4 ? waits : at == 11 ? ends : goes_on};
  }

 private:
  [[nodiscard]] bool is_block(const frame& f) const { return f.n <= block || f.n == 1; }
  [[nodiscard]] static std::uint64_t cube(std::uint64_t x) { return x * x * x; }
};

}  // namespace heist::lab
