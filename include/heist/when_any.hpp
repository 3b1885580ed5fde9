// when_any: the first result of several.
//
//     // first.index() says which one it is
//     auto first = heist::when_any(pool.submit(search_here), pool.submit(search_there)).get();
#pragma once

#include <cstddef>
#include <type_traits>
#include <variant>
#include <vector>

#include "heist/future.hpp"

namespace heist::inline v0 {

// Which future was ready first, and its result; std::monostate for void.
template <class T>
struct any_result {
  std::size_t index;  // of the future, in the order in which they were given
  std::conditional_t<std::is_void_v<T>, std::monostate, T> value;  // its result
};

// The future of the result that is ready first: a std::variant whose index() says which one that
// is, with std::monostate for a void one. If an exception comes first, get() throws it. The others
// continue, and their results and exceptions are lost; to stop them, give them a stop condition.
// Two allocations. Throws usage_error if one of the futures is not valid.
template <class... T>
requires(sizeof...(T) > 0 && (!std::is_reference_v<T> && ...))
auto when_any(future<T>... inputs)
    -> future<std::variant<std::conditional_t<std::is_void_v<T>, std::monostate, T>...>>;

// The same for a number of futures that is known at run time. Throws usage_error if there are none.
template <class T>
auto when_any(std::vector<future<T>> inputs) -> future<any_result<T>>;

}  // namespace heist::inline v0

#include "heist/detail/when_any_impl.hpp"
