#include "bench/suite/suites.hpp"

#include <algorithm>

namespace heist::bench {

// The sizes let a rival that needs microseconds for a fork end within some seconds.
const std::vector<suite>& suites() {
  static const std::vector<suite> all = {
      {"classic",
       "the programs that fork-join runtimes are measured with",
       {{"fib", {"n=31"}, {"n=16"}, true},
        {"nqueens", {"n=13", "cutoff=4"}, {"n=7", "cutoff=2"}, true},
        {"uts", {"tree=T3"}, {}},  // no sample tree is small
        {"quicksort", {"size=4000000"}, {"size=20000"}},
        {"mergesort", {"size=4000000"}, {"size=20000"}},
        {"matmul", {"n=512"}, {"n=64"}}}},
      {"loops",
       "loops over rows, cells, points and vertices",
       {{"mandelbrot", {"width=600", "height=400"}, {"width=64", "height=48"}}}},
      {"sorting",
       "sorts of four million integers",
       {{"quicksort", {"size=4000000"}, {"size=20000"}},
        {"mergesort", {"size=4000000"}, {"size=20000"}}}},
  };
  return all;
}

const suite* find_suite(std::string_view name) {
  const auto found = std::find_if(suites().begin(), suites().end(),
                                  [&](const suite& each) { return each.name == name; });
  return found == suites().end() ? nullptr : &*found;
}

}  // namespace heist::bench
