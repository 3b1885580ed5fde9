// What a future shares with the function that makes its result: one block that counts its users.
//
// They meet at a rendezvous: the one that makes the result is the ender, and a continuation is the
// waiter.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "heist/detail/alarm.hpp"
#include "heist/detail/export.hpp"
#include "heist/detail/job.hpp"
#include "heist/detail/measured.hpp"
#include "heist/detail/race.hpp"
#include "heist/detail/rendezvous.hpp"
#include "heist/detail/root.hpp"
#include "heist/detail/wait_checks.hpp"
#include "heist/detail/waiting.hpp"

namespace heist::inline v0::detail {

// What resumes when a result is ready. It may be gone as soon as resume has been called.
struct continuation {
  void (*resume)(continuation&) noexcept;
};

class future_state {
 public:
  // `entry`: the function that makes the result is the only root of this family.
  future_state(void (*destroy)(future_state&) noexcept, root_family* entry) noexcept
      : entry_(entry), destroy_(destroy) {}
  future_state(const future_state&) = delete;
  future_state& operator=(const future_state&) = delete;

  [[nodiscard]] bool is_ready() const noexcept { return next_.look() == rendezvous::done; }

  // Attaches the only continuation. False if the result is ready; then nothing is attached.
  [[nodiscard]] bool attach(continuation& c) noexcept {
    return next_.attach(reinterpret_cast<rendezvous::word>(&c));
  }

  // Takes the continuation back. False if the result is ready: then resume is called, or has been.
  bool detach(continuation& c) noexcept {
    return next_.detach(reinterpret_cast<rendezvous::word>(&c));
  }

  // To be called when the result has been stored. It also ends the use by the caller, which made
  // the result.
  void complete() noexcept {
    result_made(this);
    const rendezvous::word next = next_.settle(rendezvous::done);
    leave();
    if (next != rendezvous::pending) {
      auto* const c = reinterpret_cast<continuation*>(next);
      c->resume(*c);
    }
  }

  // Adds a user. Relaxed: the caller is a user, and remains one.
  void enter() noexcept { users_.fetch_add(1, std::memory_order_relaxed); }
  // Removes a user; the last one frees the block.
  void leave() noexcept {
    // Release and acquire: the user that frees the block sees what each did before it left.
    if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy_(*this);
  }

  // The fiber that makes the result; nullptr while none does. Relaxed: the checks look at it, which
  // see everything that this fiber has done since, under a lock of their own.
  [[nodiscard]] const void* maker() const noexcept {
    return maker_.load(std::memory_order_relaxed);
  }

  // Runs the function itself if it waits in the queue of the caller's pool. Otherwise suspends the
  // caller until there is a result. Throws usage_error if the caller is the fiber that
  // has to make it, and deadlock as mutex::lock() does.
  HEIST_API void wait();
  // The same with a time limit: false if there is no result in time. Throws resource_error or
  // std::bad_alloc if it has to wait and can't.
  HEIST_API bool wait_until(due_time due);

  // Records that the calling fiber makes the result. Relaxed: only that fiber needs to see it.
  void made_here() noexcept { maker_.store(current_fiber(), std::memory_order_relaxed); }

 protected:
  ~future_state() = default;

 private:
  void refuse_own_wait() const;
  void wait_for_result();

  rendezvous next_{};
  std::atomic<unsigned> users_{2};
  std::atomic<const void*> maker_{nullptr};
  root_family* const entry_;  // nullptr: no function of its own makes the result
  void (*const destroy_)(future_state&) noexcept;
};

template <class T>
class state_of : public future_state {
 public:
  explicit state_of(void (*destroy)(future_state&) noexcept, root_family* entry = nullptr) noexcept
      : future_state(destroy, entry) {}

  // Calls f and keeps its result or its exception.
  template <class F>
  void make(F&& f) noexcept {
    try {
      value_.emplace(invoke_stored<T>(std::forward<F>(f)));
    } catch (...) {
      thrown_ = std::current_exception();
    }
  }
  void fail(std::exception_ptr thrown) noexcept { thrown_ = std::move(thrown); }

  // To be called when it is ready.
  [[nodiscard]] const std::exception_ptr& thrown() const noexcept { return thrown_; }
  T take() {
    if (thrown_) std::rethrow_exception(std::move(thrown_));
    if constexpr (std::is_void_v<T>)
      return;
    else if constexpr (std::is_reference_v<T>)
      return static_cast<T>(**value_);
    else
      return std::move(*value_);
  }

 private:
  std::optional<stored_result<T>> value_;
  std::exception_ptr thrown_;
};

// A function that was submitted: its closure, its result, and its node in the pool's queue.
template <class F, class T>
class submitted final : public state_of<T>, public family_root {
 public:
  template <class G>
  explicit submitted(G&& f)
      : state_of<T>(&destroy, &alone_),
        family_root(&call, &alone_),
        function_(std::forward<G>(f)) {}

 private:
  static void destroy(future_state& s) noexcept { delete static_cast<submitted*>(&s); }
  static void call(root& r) noexcept {
    auto& self = static_cast<submitted&>(r);
    race::make_result(static_cast<future_state*>(&self), self, [](submitted& s) {
      s.made_here();
      s.make(std::move(*s.function_));
      s.function_.reset();  // before anybody can see the result
      s.complete();
    });
  }

  root_family alone_;
  std::optional<F> function_;
};

}  // namespace heist::inline v0::detail
