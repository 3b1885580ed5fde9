// Checks whether the threads' observations of a deque could have come from one operation after
// another.
//
// A history is linearizable if each operation can be given one moment between its call and its
// return, so that the sequential deque gives the same answers in the order of these moments. The
// search is that of Wing and Gong (Testing and Verifying Concurrent Objects, 1993), with a memory
// of the visited states (Lowe, Testing for Linearizability, 2017).
//
// A steal that lost does nothing. It is allowed only if it overlaps an operation that won in the
// sense of the rules, for example by taking the oldest item; a thread loses only once to the same
// winner. The winner's moment need not lie within the lost steal: a Chase-Lev pop of the last item
// lowers bottom, so that others find the deque empty, and raises top a little later, so that others
// lose. A thief can see both, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/deque/deque_types.hpp"

namespace heist_test {

enum class call : std::uint8_t { push, pop, steal, expose };
enum class reply : std::uint8_t { done, full, taken, empty, lost };

struct operation {
  unsigned thread = 0;
  call what = call::push;
  reply answer = reply::done;
  std::string items{};       // pushed or taken, oldest first, a character each
  std::uint64_t called = 0;  // one clock for all threads, no value twice
  std::uint64_t returned = 0;
};

using history = std::vector<operation>;

inline constexpr std::size_t longest_history = 64;

// Checks a history that starts with an empty deque of this capacity. `of` has at most
// longest_history operations.
[[nodiscard]] bool is_linearizable(const history& of, const deque_rules& rules,
                                   std::size_t capacity);

// The history as text, with a line for each operation, in the order of the calls.
[[nodiscard]] std::string to_text(history of);

}  // namespace heist_test
