// basic_asio_context: completion handlers in a pool, for whichever copy of asio a program uses.
//
// asio exists twice: alone, with <heist/asio.hpp>, and in Boost, with the adapter in
// integrations/boost_asio. Names says what the parts are called that the context needs:
// execution_context, and of the properties context_t, occupancy_t, blocking_t, outstanding_work_t.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "heist/detail/work_count.hpp"
#include "heist/pool.hpp"

namespace heist::inline v0 {

// Holds asio's services for one pool, which must outlive it. Any number of contexts may share a
// pool.
template <class Names>
class basic_asio_context : public Names::execution_context {
 public:
  class executor_type;

  // Handlers run in p. Starts no thread; the first timer or socket does.
  explicit basic_asio_context(pool& p) : pool_(p) {}

  // As in asio::thread_pool: functions that have begun end first. Functions that haven't are
  // destroyed without a call, and so are the handlers for which timers and sockets still wait. To
  // have all of them called, join first. Must not be called from a function that was posted here.
  ~basic_asio_context();

  // An executor that posts to the pool, for asio's functions and objects. Costs nothing; thread-
  // safe.
  executor_type get_executor() noexcept;

  // Returns when everything that was posted is over, with what that has posted and what timers and
  // sockets wait for, and when no executor tracks outstanding work any more. Thread-safe, but must
  // not be called from a function that was posted here.
  void join() noexcept { work_.wait(); }

  // The pool that runs the handlers.
  [[nodiscard]] pool& where() const noexcept { return pool_; }

 private:
  template <class F>
  class posted;

  pool& pool_;
  std::atomic<bool> is_stopping_{false};
  detail::work_count functions_;  // counts functions that were posted and aren't over
  detail::work_count work_;       // the same, and executors that track outstanding work
};

// Meets asio's executor requirements. Properties: blocking (never, possibly), outstanding_work
// (tracked, untracked), context, occupancy. asio::prefer may ask for any other, which changes
// nothing.
template <class Names>
class basic_asio_context<Names>::executor_type {
  using blocking_t = typename Names::blocking_t;
  using outstanding_work_t = typename Names::outstanding_work_t;

 public:
  executor_type(const executor_type& other) noexcept;
  executor_type& operator=(const executor_type& other) noexcept;
  ~executor_type();

  // Calls f() on a worker of the pool; with blocking.possibly (for which asio::dispatch asks), at
  // once if the caller is one. An exception of f ends the program. Throws as pool::submit does.
  // Thread-safe. One allocation, unless it is a call.
  template <class F>
  void execute(F&& f) const;

  // The values of the properties.
  [[nodiscard]] basic_asio_context& query(typename Names::context_t) const noexcept;
  [[nodiscard]] std::size_t query(typename Names::occupancy_t) const noexcept;
  [[nodiscard]] blocking_t query(blocking_t) const noexcept;
  [[nodiscard]] outstanding_work_t query(outstanding_work_t) const noexcept;

  // The same executor with another value of a property.
  [[nodiscard]] executor_type require(typename blocking_t::possibly_t) const noexcept;
  [[nodiscard]] executor_type require(typename blocking_t::never_t) const noexcept;
  [[nodiscard]] executor_type require(typename outstanding_work_t::tracked_t) const noexcept;
  [[nodiscard]] executor_type require(typename outstanding_work_t::untracked_t) const noexcept;

  friend bool operator==(const executor_type& a, const executor_type& b) noexcept {
    return a.context_ == b.context_ && a.may_call_ == b.may_call_ && a.tracks_ == b.tracks_;
  }
  friend bool operator!=(const executor_type& a, const executor_type& b) noexcept {
    return !(a == b);
  }

 private:
  friend basic_asio_context;
  executor_type(basic_asio_context& context, bool may_call, bool tracks) noexcept;

  basic_asio_context* context_;
  bool may_call_;  // blocking.possibly
  bool tracks_;    // outstanding_work.tracked
};

}  // namespace heist::inline v0

#include "heist/detail/basic_asio_context_impl.hpp"
