// The orders and the distinct values of the keys that `heist bench sort` sorts: its matrix's rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace heist::bench::sorting {

struct input {
  std::string name;
  // n keys of at least 0 and below n, the same ones in each call.
  std::vector<std::int64_t> (*keys)(std::size_t n);
};

[[nodiscard]] const std::vector<input>& all_inputs();

}  // namespace heist::bench::sorting
