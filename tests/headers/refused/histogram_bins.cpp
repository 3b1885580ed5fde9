#include <vector>

#include "heist/histogram.hpp"

std::vector<std::size_t> run(const std::vector<int>& v, INTEGER bins) {
  return heist::histogram(v, bins, [](int i) { return i; });
}
