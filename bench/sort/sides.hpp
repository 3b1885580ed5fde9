// The sorts that `heist bench sort` compares: heist's, oneTBB's, that of libstdc++'s parallel mode,
// Highway's and std's. Each is compiled in a source of its own, with its own flags.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include <heist/pool.hpp>

#include "bench/sort/elements.hpp"

namespace heist::bench::sorting {

template <class T>
using sort_function = void (*)(T* first, T* last);

template <class Types>
struct sort_functions;
template <class... T>
struct sort_functions<std::tuple<T...>> {
  using type = std::tuple<sort_function<T>...>;
  // Sorter::sort<T>() for every type.
  template <class Sorter>
  static type of() {
    return {Sorter::template function<T>()...};
  }
};
using all_sort_functions = sort_functions<element_types>;

struct side {
  std::string name;
  // Calls the function where as many threads serve it.
  std::function<void(unsigned threads, const std::function<void()>& function)> within;
  all_sort_functions::type sorts;      // nullptr: this side can't sort such elements
  std::chrono::milliseconds rests{5};  // after that its idle threads don't spin any more
  bool is_parallel = true;
};

[[nodiscard]] side ours(std::vector<pool*> pools);
[[nodiscard]] side standard();
// Nothing if the library is not built in.
[[nodiscard]] std::vector<side> onetbb();
[[nodiscard]] std::vector<side> gnu_parallel();
[[nodiscard]] std::vector<side> highway();

}  // namespace heist::bench::sorting
