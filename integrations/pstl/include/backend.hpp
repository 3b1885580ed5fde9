// The backend of libstdc++'s parallel algorithms (__pstl): its nine functions and its buffer.
//
// libstdc++'s own headers ask for a backend by an include guard, which this file takes: it must
// come before <execution>, and does so in the folder that has both. The algorithms cut their ranges
// into what they call bricks; how these are run is heist/pstl's part, in the files beside this one.
//
// What the algorithms rely on:
//   - A brick that the backend calls may throw nothing but by an element's function, and then the
//     program ends (std::terminate), as the standard says. Memory that can't be had is thrown.
//   - While a function waits, no other iteration of an outer algorithm runs on top of it: heist's
//     joins never begin unrelated work.
#pragma once

#define _PSTL_PARALLEL_BACKEND_H

#include <cstddef>
#include <utility>

#include "buffer.hpp"
#include "folds.hpp"
#include "loop.hpp"
#include "merging.hpp"
#include "sorting.hpp"

namespace __pstl::__heist_backend {

template <class T>
using __buffer = heist::pstl::buffer<T>;

// The rest of a loop whose result is known. The algorithms ask a flag of theirs at the beginning of
// each chunk, so nothing more is lost than a call for each of the chunks that are left.
inline void __cancel_execution() noexcept {}

template <class Policy, class Index, class Brick>
void __parallel_for(Policy&&, Index first, Index last, Brick brick) {
  heist::pstl::loop(first, last, brick);
}

template <class Policy, class Value, class Index, class Brick, class Combine>
Value __parallel_reduce(Policy&&, Index first, Index last, const Value& identity,
                        const Brick& brick, const Combine& combine) {
  return heist::pstl::reduce(first, last, identity, brick, combine);
}

template <class Policy, class Index, class Unary, class Value, class Combine, class Brick>
Value __parallel_transform_reduce(Policy&&, Index first, Index last, Unary unary, Value init,
                                  Combine combine, Brick brick) {
  return heist::pstl::transform_reduce(first, last, unary, std::move(init), combine, brick);
}

template <class Policy, class Index, class Value, class Sum, class Combine, class PutOut,
          class Between>
void __parallel_strict_scan(Policy&&, Index n, Value init, Sum sum, Combine combine, PutOut put_out,
                            Between between) {
  heist::pstl::strict_scan(n, std::move(init), sum, combine, put_out, between);
}

template <class Policy, class Index, class Unary, class Value, class Combine, class Sum,
          class PutOut>
Value __parallel_transform_scan(Policy&&, Index n, Unary unary, Value init, Combine combine,
                                Sum sum, PutOut put_out) {
  return heist::pstl::transform_scan(n, unary, std::move(init), combine, sum, put_out);
}

template <class Policy, class It, class Compare, class LeafSort>
void __parallel_stable_sort(Policy&&, It first, It last, Compare compare, LeafSort leaf_sort,
                            std::size_t sorted = 0) {
  heist::pstl::sort(first, last, compare, leaf_sort, sorted);
}

template <class Policy, class A, class B, class Out, class Compare, class LeafMerge>
void __parallel_merge(Policy&&, A a, A a_end, B b, B b_end, Out out, Compare compare,
                      LeafMerge leaf_merge) {
  heist::pstl::merge(a, a_end, b, b_end, out, compare, leaf_merge);
}

template <class Policy, class F, class G>
void __parallel_invoke(Policy&&, F&& f, G&& g) {
  heist::fork_join(std::forward<F>(f), std::forward<G>(g));
}

}  // namespace __pstl::__heist_backend

namespace __pstl {
namespace __par_backend = __heist_backend;
}
