#include <vector>

#include "heist/histogram.hpp"

std::vector<std::size_t> run(const std::vector<int>& v) {
  return heist::histogram(v, 8, [](int i) { return INTEGER{i}; });
}
