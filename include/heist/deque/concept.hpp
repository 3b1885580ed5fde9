// What a work-stealing deque is: the owner pushes and pops items at one end, thieves take them at
// the other.
//
//     heist::deque::chase_lev<task*> deque(64);   // any of those in this folder
//     auto owner = deque.owner();                 // for one thread at a time
//     auto thief = deque.thief();                 // for any number of others, a copy each
//
//     if (owner.push(t) == push_result::full) run(t);
//     if (std::optional<task*> t = owner.pop()) run(*t);          // the newest
//     if (auto a = thief.steal(); a.result == steal_result::taken) run(a.item);   // the oldest
//
// Every item that was pushed is taken exactly once. The thread that takes it sees what its pusher
// wrote before the push. The roles are types: what only the owner may call is on the owner's end.
// Ends refer to the deque, which must outlive them.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>

#include "heist/deque/answers.hpp"
#include "heist/detail/refusal.hpp"

namespace heist::inline v0::deque {

// Whether T is one word that is copied as bytes: a pointer, an index, a handle.
template <class T>
inline constexpr bool is_word =
    std::is_trivially_copyable_v<T> && std::default_initializable<T> && sizeof(T) == sizeof(void*);
// What a deque holds.
template <class T>
concept item = detail::demand(is_word<T>, "heist: the items of a deque are words, copied as bytes");

// The answer of a steal.
template <class T>
struct steal_answer {
  steal_result result;  // whether there is an item
  T item;               // if taken
};

// The answer of a steal that took several items: the oldest for the caller to run; the others are
// in the caller's own deque.
template <class T>
struct batch_answer {
  steal_result result;  // whether there is an item
  T item;               // if taken
  // How many more went to the caller's deque; if lost: would have, had they not been lost.
  std::size_t kept;
};

// push, pop: for one thread at a time. size_hint: how many items there were, some moments ago.
template <class End, class T>
concept owner_end = item<T> && requires(End end, const End& seen, T one) {
  { end.push(one) } noexcept -> std::same_as<push_result>;
  { end.pop() } noexcept -> std::same_as<std::optional<T>>;
  { seen.size_hint() } noexcept -> std::same_as<std::size_t>;
};

// For any number of threads at once.
template <class End, class T>
concept thief_end = item<T> && std::copyable<End> && requires(End end, const End& seen) {
  { end.steal() } noexcept -> std::same_as<steal_answer<T>>;
  { seen.size_hint() } noexcept -> std::same_as<std::size_t>;
};

// A thief that has a deque of the same type can take several items in one step.
template <class End, class Owner, class T>
concept batch_thief_end = thief_end<End, T> && requires(End end, Owner& mine) {
  { end.steal_into(mine) } noexcept -> std::same_as<batch_answer<T>>;
};

template <class D>
concept work_stealing_deque = requires(D d) {
  typename D::item_type;
  { d.owner() } -> owner_end<typename D::item_type>;
  { d.thief() } -> thief_end<typename D::item_type>;
  { d.capacity() } -> std::same_as<std::size_t>;  // items that it can hold without growing
  { D::max_capacity } -> std::convertible_to<std::size_t>;
};

// A deque whose thieves can take several items at once, into a deque of the same type.
template <class D>
concept batched_deque = work_stealing_deque<D> && requires(D d) {
  { d.thief() } -> batch_thief_end<std::remove_cvref_t<decltype(d.owner())>, typename D::item_type>;
};

}  // namespace heist::inline v0::deque
