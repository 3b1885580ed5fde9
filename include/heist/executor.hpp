// executor: a pool for libraries that take "something with execute(f)".
//
//     heist::executor executor(pool);
//     executor.execute([] { ... });
//
// It meets asio's executor concept (asio::execution::executor) without asio. What asio's own
// functions need besides, such as strands and timers on the pool, is in <heist/asio.hpp>. For
// results use pool::submit, and for senders and receivers <heist/scheduler.hpp>.
#pragma once

#include <type_traits>
#include <utility>

#include "heist/pool.hpp"

namespace heist::inline v0 {

// A handle as small as a pointer, which can be copied and compared. The pool must outlive its use.
class executor {
 public:
  // Functions go to p. Costs nothing.
  explicit executor(pool& p) noexcept : pool_(&p) {}

  // Gives std::decay_t<F>(f) to the pool, and returns at once; a worker calls it. The pool's
  // destructor waits for it. An exception of f has no receiver: it ends the program. Throws as
  // pool::submit does, and then f is not called. Thread-safe. One allocation. Under HEIST_SERIAL it
  // is a call.
  template <class F>
  requires detail::can_be_spawned<F>
  void execute(F&& f) const {
    static_cast<void>(pool_->submit(
        [g = std::decay_t<F>(std::forward<F>(f))]() mutable noexcept { std::move(g)(); }));
  }
  template <class... Arguments>
  requires(!detail::is_spawn<Arguments...>)
  void execute(Arguments&&...) const {
    detail::refuse_spawn<Arguments...>();
  }

  // The pool in which it executes.
  [[nodiscard]] pool& where() const noexcept { return *pool_; }

  friend bool operator==(const executor&, const executor&) noexcept = default;

 private:
  pool* pool_;
};

}  // namespace heist::inline v0
