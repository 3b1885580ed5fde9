// executor: a pool as libraries see it that take "something with execute(f)".
//
//     heist::executor on(pool);
//     on.execute([] { ... });
//
// It meets asio's executor concept (asio::execution::executor) and needs nothing of asio; what asio's own functions ask for
// besides, such as strands and timers on the pool, is in <heist/asio.hpp>. For results there is pool::submit, and for
// senders and receivers <heist/scheduler.hpp>.
#pragma once

#include <type_traits>
#include <utility>

#include "heist/pool.hpp"

namespace heist::inline v0 {

// A handle, as small as a pointer, to copy and compare. The pool must outlive its use.
class executor {
 public:
  explicit executor(pool& p) noexcept : pool_(&p) {}

  // Hands std::decay_t<F>(f) to the pool, and returns at once; it is called on a worker. The pool's destructor waits for
  // it. An exception of f's has nowhere to go: it ends the program. Throws as pool::submit does, and then f is not called.
  // Thread-safe. One allocation. Under HEIST_SERIAL it is a call.
  template <class F>
  requires std::is_invocable_v<std::decay_t<F>>
  void execute(F&& f) const {
    static_cast<void>(pool_->submit(
        [g = std::decay_t<F>(std::forward<F>(f))]() mutable noexcept { std::move(g)(); }));
  }

  // Where it executes.
  [[nodiscard]] pool& where() const noexcept { return *pool_; }

  friend bool operator==(const executor&, const executor&) noexcept = default;

 private:
  pool* pool_;
};

}  // namespace heist::inline v0
