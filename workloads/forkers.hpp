// Each algorithm here is written once and takes its way of forking as an argument. forked<> runs it
// in parallel; serially is its serial elision, the same calls one after another, which the compiler
// inlines. Comparing a parallel with a serial time therefore measures the runtime and nothing else.
// Read `fork` in an algorithm as heist::fork_join.

#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <heist/fork_join.hpp>

namespace heist::workloads {

struct forked {
  static constexpr bool is_parallel = true;

  template <class... Functions>
  [[gnu::always_inline]] decltype(auto) operator()(Functions&&... functions) const {
    return heist::fork_join(std::forward<Functions>(functions)...);
  }
};

struct serially {
  static constexpr bool is_parallel = false;

  template <class... Functions>
  [[gnu::always_inline]] auto operator()(Functions&&... functions) const {
    if constexpr ((std::is_void_v<std::invoke_result_t<Functions>> && ...))
      (functions(), ...);
    else
      return std::tuple{call(functions)...};  // braces: left to right
  }

 private:
  template <class Function>
  [[gnu::always_inline]] static auto call(Function& function) {
    if constexpr (std::is_void_v<std::invoke_result_t<Function&>>) {
      function();
      return std::monostate{};
    } else {
      return function();
    }
  }
};

}  // namespace heist::workloads
