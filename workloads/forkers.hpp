// Each algorithm here is written once and takes its way of forking as an argument. forked runs it
// in parallel; serially is its serial elision, the same calls one after another, which the compiler
// inlines. Comparing a parallel with a serial time therefore measures the runtime and nothing else.
//
// A way of forking has
//   fork(f, g)                 calls both, which may run at the same time; results as a tuple,
//                              nothing if neither has one
//   fork.loop(n, grain, body)  body(i) for each i of [0, n); no part with fewer than `grain`
//                              iterations is worth a task of its own
//   fork.scope(f)              f(spawn), where spawn(g) has g run until scope returns
// Read them as heist::fork_join, heist::parallel_for and heist::scope. Further ways are in
// constructs.hpp, and those of other libraries in rivals/.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <heist/fork_join.hpp>
#include <heist/parallel_for.hpp>
#include <heist/scope.hpp>

namespace heist::workloads {

struct forked {
  static constexpr bool is_parallel = true;

  template <class... Functions>
  [[gnu::always_inline]] decltype(auto) operator()(Functions&&... functions) const {
    return heist::fork_join(std::forward<Functions>(functions)...);
  }

  // heist's loops split on demand and need no grain.
  template <class Body>
  void loop(std::size_t n, std::size_t /*grain*/, const Body& body) const {
    heist::parallel_for(std::size_t{0}, n, body);
  }

  template <class Function>
  void scope(const Function& function) const {
    heist::scope([&](task_scope& s) {
      function([&s](auto&& child) { s.spawn(std::forward<decltype(child)>(child)); });
    });
  }
};

// The result of a function in a tuple: std::monostate for none.
template <class Function>
[[gnu::always_inline]] inline auto call_for_tuple(Function& function) {
  if constexpr (std::is_void_v<std::invoke_result_t<Function&>>) {
    function();
    return std::monostate{};
  } else {
    return function();
  }
}

struct serially {
  static constexpr bool is_parallel = false;

  template <class... Functions>
  [[gnu::always_inline]] auto operator()(Functions&&... functions) const {
    if constexpr ((std::is_void_v<std::invoke_result_t<Functions>> && ...))
      (functions(), ...);
    else
      return std::tuple{call_for_tuple(functions)...};  // braces: left to right
  }

  template <class Body>
  void loop(std::size_t n, std::size_t /*grain*/, const Body& body) const {
    for (std::size_t i = 0; i < n; ++i) body(i);
  }

  template <class Function>
  void scope(const Function& function) const {
    function([](auto&& child) { child(); });
  }
};

}  // namespace heist::workloads
