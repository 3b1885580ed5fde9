// The seam of the explorer: the atomics of heist/deque/atomics.hpp, made of the machine's cells.
//
// The library's own headers run on it. On x86 each of their loads and stores is a plain instruction
// and each read-modify-write a locked one, whatever order it names. Orders therefore have no effect
// here (tests/mutants/mutants_test.cpp tests them), and light_barrier(), which is no instruction,
// does nothing.
//
// A test can change one step of the protocols; see `change`.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "heist/deque/atomics.hpp"
#include "tests/model/explorer/machine.hpp"

namespace heist_explorer {

enum class change {
  none,
  // split_control.
  no_heavy_barrier,
  fence_for_barrier,
  no_second_look,
  pop_tests_split,
  reseat_keeps_tag,
  take_back_keeps_tag,
  proposal_keeps_tag,
  head_before_word,
  limit_after_exposure,
  slot_after_head,
  low_looked_at_once,
  // Sleeping.
  no_sleepers_barrier,
  fence_for_sleepers_barrier,
  request_before_count,
  count_after_barrier,
  public_look_only,
  epoch_after_look,
  no_second_request,
  no_fence_to_wake,
  count_before_exposure,
};

inline change running_change = change::none;
inline bool is_running(change c) { return running_change == c; }

// The memory of positions, to which a `seat` may point.
inline std::array<char, 32> places;

// How the library's values fit into a cell.
inline value encode(std::uint32_t v) { return static_cast<value>(v); }
inline value encode(std::uint64_t v) { return static_cast<value>(v >> 32 << 8 | (v & 0xff)); }
inline value encode(char* v) { return static_cast<value>(v - places.data()); }
inline void decode(value v, std::uint32_t& to) { to = v; }
inline void decode(value v, std::uint64_t& to) { to = std::uint64_t{v} >> 8 << 32 | (v & 0xff); }
inline void decode(value v, char*& to) { to = places.data() + v; }

// A default argument is evaluated at the call, so this is the name of the protocol's function.
#define HEIST_EXPLORER_CALLER const char* who = __builtin_FUNCTION()

// g++ appends the template arguments to a function's name.
inline bool is_in(const char* who, std::string_view function) {
  const std::string_view name = who;
  return name.substr(0, name.find('<')) == function;
}

template <class T>
class explored_atomic {
 public:
  explored_atomic(T first) : cell_(the_machine().add_cell(encode(first), as_number)) {}

  T load(std::memory_order, HEIST_EXPLORER_CALLER) const {
    if (is_running(change::epoch_after_look) && is_in(who, "wait")) return {};
    if (is_running(change::head_before_word) && is_in(who, "reseat") &&
        the_machine().at_first_action())
      return from(0xffff);  // so that it is lowered, or raised, at once
    const value v = the_machine().load(cell_, who);
    if (is_running(change::no_second_look) && is_in(who, "private_top")) {
      auto& [looked, first, unused, unused_too] = the_machine().scratch;
      if (looked != 0) return from(first);
      looked = 1;
      first = v;
    }
    return from(v);
  }
  void store(T v, std::memory_order order, HEIST_EXPLORER_CALLER) {
    // Only on_limit() stores limit with this order; the model makes the store later.
    if (is_running(change::limit_after_exposure) && is_in(who, "on_limit") &&
        order == std::memory_order_relaxed)
      return;
    the_machine().store(cell_, encode(v), who);
  }
  T fetch_add(T n, std::memory_order, HEIST_EXPLORER_CALLER) {
    return from(
        the_machine().modify(cell_, who, [&](value old) { return encode(T(from(old) + n)); }));
  }
  // In the protocols this is always the end of a loop's round, which has done nothing but the load
  // before it.
  bool compare_exchange_weak(T& expected, T desired, std::memory_order, std::memory_order,
                             HEIST_EXPLORER_CALLER) {
    return the_machine().exchange_in_loop(cell_, encode(expected), encode(desired), who);
  }

  [[nodiscard]] unsigned cell() const { return cell_; }

 private:
  static T from(value v) {
    T to;
    decode(v, to);
    return to;
  }
  unsigned cell_;
};

// split_control's word: tail and split in one cell, bound and tag in the next.
template <class State>
class explored_word {
 public:
  explicit explored_word(State s) : cell_(the_machine().add_cell(low_of(s), show_low)) {
    the_machine().add_cell(high_of(s), show_high, true);
  }

  State load(HEIST_EXPLORER_CALLER) const {
    const value low = the_machine().load(cell_, who);
    State s = state_of(low, the_machine().load(cell_ + 1, who));
    s.tag += own_proposal(who);
    return s;
  }
  [[nodiscard]] std::uint64_t high(HEIST_EXPLORER_CALLER) const {
    if (is_running(change::pop_tests_split))
      return state_of(the_machine().load(cell_, who), 0).split;
    return state_of(0, the_machine().load(cell_ + 1, who)).bound;
  }
  [[nodiscard]] bool has_low(State s, HEIST_EXPLORER_CALLER) const {
    if (is_running(change::low_looked_at_once)) return true;
    return the_machine().load(cell_, who) == low_of(s);
  }
  bool compare_exchange(State expected, State desired, HEIST_EXPLORER_CALLER) {
    if (is_in(who, "reseat"))
      the_machine().check(expected.tail == expected.split, "I4: a reseat of a deque with items");
    const bool proposes = is_in(who, "expose") && desired.tag != expected.tag;
    expected.tag -= own_proposal(who);
    desired.tag -= own_proposal(who);
    if ((is_running(change::reseat_keeps_tag) && is_in(who, "reseat")) ||
        (is_running(change::take_back_keeps_tag) && is_in(who, "pop_slow")) ||
        (is_running(change::proposal_keeps_tag) && proposes))
      desired.tag = expected.tag;
    const bool done = the_machine().exchange_pair(
        cell_, {low_of(expected), high_of(expected)}, {low_of(desired), high_of(desired)},
        is_of_a_loop(who, proposes) ? machine::rounds::many : machine::rounds::one, who);
    if (done && proposes) the_machine().scratch[2] = 1;
    return done;
  }

  static State state_of(value low, value high) {
    return {static_cast<std::uint32_t>(low & 0xff), static_cast<std::uint32_t>(low >> 8),
            static_cast<std::uint32_t>(high & 0xf), std::uint64_t{high} >> stamp_shift};
  }
  [[nodiscard]] unsigned cell() const { return cell_; }

 private:
  // steal() and the proposal of expose() try once.
  static bool is_of_a_loop(const char* who, bool proposes) {
    return !proposes && !is_in(who, "steal") && !is_in(who, "steal_reading");
  }
  // If a proposal keeps the tag, the proposer must still recognise its own proposal: for the
  // proposer the tag is one larger from then on.
  static std::uint64_t own_proposal(const char* who) {
    return is_running(change::proposal_keeps_tag) && is_in(who, "expose") ? the_machine().scratch[2]
                                                                          : 0;
  }
  static value low_of(State s) { return static_cast<value>(s.tail | s.split << 8); }
  static value high_of(State s) { return static_cast<value>(s.bound | s.tag << stamp_shift); }
  static std::string show_low(value v) {
    return "tail " + std::to_string(v & 0xff) + " split " + std::to_string(v >> 8);
  }
  static std::string show_high(value v) {
    return "bound " + std::to_string(v & 0xf) + " tag " + std::to_string(v >> stamp_shift);
  }
  unsigned cell_;
};

struct explored_atomics {
  template <class T>
  using atomic = explored_atomic<T>;
  template <class State>
  using wide_word = explored_word<State>;

  static void light_barrier() {}
  static void full_fence(HEIST_EXPLORER_CALLER) { the_machine().fence(who); }
};

// Called by a thief when it exposes.
inline void heavy_barrier() {
  if (is_running(change::no_heavy_barrier)) return;
  if (is_running(change::fence_for_barrier))
    the_machine().fence("heavy_barrier");
  else
    the_machine().membarrier();
}

struct explored_parking : explored_atomics {
  static void futex_wait(explored_atomic<std::uint32_t>& word, std::uint32_t seen, std::uint32_t) {
    if (is_running(change::epoch_after_look)) seen = word.load(std::memory_order_acquire);
    the_machine().park_if(word.cell(), encode(seen));
  }
  static void futex_wake_one(explored_atomic<std::uint32_t>&, std::uint32_t) {
    the_machine().wake_one();
  }
};

}  // namespace heist_explorer
