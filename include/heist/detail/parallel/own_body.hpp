// A chunk's own copy of a loop's body, if the body is small and copying it can't be noticed: the
// compiler then keeps its captures in registers. For the original it must assume that the body's
// stores, through pointers, change it.
#pragma once

#include <concepts>
#include <type_traits>

#include "heist/detail/requirements.hpp"

namespace heist::inline v0::detail {

template <class Body, class Arg>
consteval bool is_small_body() {
  if constexpr (std::is_object_v<Body>) {
    return sizeof(Body) <= 64 && std::is_trivially_copyable_v<Body> &&
           std::is_copy_constructible_v<Body> && std::invocable<const Body&, Arg>;
  } else {
    return false;
  }
}

template <class Arg, class Body>
[[gnu::always_inline]] inline std::conditional_t<is_small_body<Body, Arg>(), const Body, Body&>
own_body(Body& body) noexcept {
  return body;
}

}  // namespace heist::inline v0::detail
