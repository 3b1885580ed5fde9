// combinable<T>: one value for each thread that asks for one; they are combined in the end.
//
//     heist::combinable<long> sum;
//     heist::parallel_for(0, n, [&](std::size_t i) { sum.local() += f(i); });
//     long total = sum.combine(std::plus{});
//
// The threads may be workers of several pools, nested ones too, or of none. What is added to which
// value depends on which thread runs what, so the operation should be associative and commutative;
// reduce and reducer give the same result every time.
#pragma once

#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "heist/detail/own_value.hpp"

namespace heist::inline v0 {

// Each value is made by its own thread and lies on cache lines of its own.
//
// The values are in lists, chosen by the number of their thread. A thread adds only its own value,
// at the front of a list, and no value is removed while others search. So the search needs no lock.
template <class T>
class combinable {
 public:
  using value_type = T;

  // Each value begins as T().
  combinable() requires std::default_initializable<T> : combinable([] { return T(); }) {}

  // Each value begins as factory(), which several threads may call at once, each for itself. If it
  // throws, so does local(), and the next local() tries again. The constructor throws what copying
  // the factory throws.
  template <class F>
  requires(!std::same_as<F, combinable> &&
           std::is_invocable_r_v<T, F&>) explicit combinable(F factory)
      : make_(std::move(factory)) {}

  combinable(const combinable&) = delete;
  combinable& operator=(const combinable&) = delete;
  ~combinable() { clear(); }

  // The value of the caller's thread. A function can change its thread in every fork, spawn, join
  // and wait, and another function may then use the value: call local() again after each. Throws
  // what the factory throws, and std::bad_alloc. Thread-safe; costs a few ns when the value exists,
  // unless there are many times 64 threads.
  T& local() {
    for (node* made = nullptr;;) {
      const std::uint64_t me = detail::thread_number();
      list& mine = lists_[me % lists_.size()];
      if (node* const there = find(mine, me)) {
        delete made;  // the factory waited, and meanwhile another function made it
        return there->own.value;
      }
      if (made != nullptr) {
        made->thread = me;
        made->next = mine.load(std::memory_order_relaxed);
        // Release: the node; partner in find(). Other threads only add in front of it.
        while (!mine.compare_exchange_weak(made->next, made, std::memory_order_release,
                                           std::memory_order_relaxed)) {
        }
        return made->own.value;
      }
      made = new node(make_);
    }
  }

  // The members below may only be called while no other function calls local() or uses what it
  // returned: after the joins.

  // Calls f(value) for each of the values, in no particular order.
  template <std::invocable<T&> F>
  void combine_each(F&& f) {
    each([&f](node& n) { f(n.own.value); });
  }

  // Returns op(op(a, b), c) and so on over the values, in no particular order; a new value if there
  // are none.
  template <class Op>
  requires std::is_invocable_r_v<T, Op&, const T&, const T&> T combine(Op op) {
    const T* first = nullptr;
    each([&first](node& n) { first = &n.own.value; });
    if (first == nullptr) return make_();
    T total = *first;
    combine_each([&](const T& value) {
      if (&value != first) total = op(static_cast<const T&>(total), value);
    });
    return total;
  }

  // How many values there are.
  [[nodiscard]] std::size_t size() {
    std::size_t n = 0;
    each([&n](node&) { ++n; });
    return n;
  }

  // Destroys all values; local() makes new ones.
  void clear() noexcept {
    each([](node& n) { delete &n; });
    for (list& l : lists_) l.store(nullptr, std::memory_order_relaxed);  // no other thread is here
  }

 private:
  struct node {
    explicit node(std::function<T()>& make) : own(make) {}

    detail::own_value<T> own;
    std::uint64_t thread = 0;  // constant once it is in a list, as is next
    node* next = nullptr;
  };
  using list = std::atomic<node*>;

  static node* find(const list& values, std::uint64_t thread) noexcept {
    // Acquire: partner is the release in local(). It makes the nodes of other threads visible,
    // which this skips.
    node* n = values.load(std::memory_order_acquire);
    while (n != nullptr && n->thread != thread) n = n->next;
    return n;
  }

  // Acquire: as in find().
  template <class F>
  void each(F&& f) {
    for (const list& l : lists_)
      for (node* n = l.load(std::memory_order_acquire); n != nullptr;) {
        node* const next = n->next;
        f(*n);
        n = next;
      }
  }

  std::function<T()> make_;
  std::array<list, 64> lists_{};
};

}  // namespace heist::inline v0
