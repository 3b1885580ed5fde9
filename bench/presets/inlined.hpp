// The recursion of fib with nothing but a push and a pop for each fork, inlined: what the deques of
// the presets cost where no scheduler is around them.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>

#include <heist/deque/concept.hpp>

#include "bench/benchmark.hpp"

namespace heist::bench {

// Stands for the queue of a pool that shares one: a list under a lock, into which every fork goes,
// and out of which its join takes it, wherever it stands.
class locked_list {
 public:
  struct link {
    link* before;
    link* after;
  };
  void push(link& l) noexcept {
    const std::lock_guard hold(mutex_);
    l.before = ends_.before;
    l.after = &ends_;
    l.before->after = l.after->before = &l;
  }
  // False: somebody else has taken it.
  bool take(link& l) noexcept {
    const std::lock_guard hold(mutex_);
    if (l.after == nullptr) return false;
    l.before->after = l.after;
    l.after->before = l.before;
    l.after = nullptr;
    return true;
  }

 private:
  std::mutex mutex_;
  link ends_{&ends_, &ends_};
};

template <class Deque>
[[gnu::noinline]] std::size_t fib_on(Deque& deque, std::size_t n) {
  if (n < 2) return n;
  struct {
    locked_list::link link;
    std::size_t n;
  } second{{}, n - 2};
  bool is_mine;
  std::size_t first;
  if constexpr (requires { deque.push(second.link); }) {
    deque.push(second.link);
    first = fib_on(deque, n - 1);
    is_mine = deque.take(second.link);
  } else {
    const bool is_pushed = deque.owner().push(&second) == deque::push_result::ok;
    first = fib_on(deque, n - 1);
    is_mine = !is_pushed || deque.owner().pop().has_value();
  }
  if (!is_mine) throw wrong_result("a deque without thieves has lost an item");
  return first + fib_on(deque, second.n);
}

}  // namespace heist::bench
