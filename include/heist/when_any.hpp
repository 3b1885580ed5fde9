// when_any: the first result of several.
//
//     auto first = heist::when_any(pool.submit(search_here), pool.submit(search_there)).get();   // first.index() says which
#pragma once

#include <cstddef>
#include <type_traits>
#include <variant>
#include <vector>

#include "heist/future.hpp"

namespace heist::inline v0 {

// Which one was ready first, and what it has; std::monostate for void.
template <class T>
struct any_result {
  std::size_t index;
  std::conditional_t<std::is_void_v<T>, std::monostate, T> value;
};

// The future of the result that is there first: a std::variant whose index() says which one that is, std::monostate for a
// void one. If it is an exception, that is thrown. The others go on, and their results and exceptions are lost; to stop
// them, hand them a stop condition. Two allocations. Throws usage_error if one of them is not valid.
template <class... T>
requires(sizeof...(T) > 0 && (!std::is_reference_v<T> && ...)) auto when_any(future<T>... inputs)
    -> future<std::variant<std::conditional_t<std::is_void_v<T>, std::monostate, T>...>>;

// The same for a number of them that is known at run time: with the index. usage_error for none.
template <class T>
auto when_any(std::vector<future<T>> inputs) -> future<any_result<T>>;

}  // namespace heist::inline v0

#include "heist/detail/when_any_impl.hpp"
