// channel: a bounded queue between fibers, threads, or both, with any number of senders and
// receivers.
//
//     heist::channel<page> pages(16);
//     heist::fork_join(
//         [&] { for (...) if (!pages.send(read())) break; pages.close(); },
//         [&] { while (std::optional<page> p = pages.receive()) render(*p); });
//
// A fiber that finds the channel full, or empty, is suspended, and its thread does other work: both
// halves above work with one worker too.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "heist/detail/alarm.hpp"
#include "heist/detail/chrono.hpp"
#include "heist/detail/race.hpp"
#include "heist/detail/wait_checks.hpp"
#include "heist/detail/waiters.hpp"

namespace heist::inline v0 {

// First in, first out; waiters are served in the order in which they came. Items are only moved, in
// and out, under a lock that is held for a few instructions: T's move and destructor must not wait,
// fork, or use the channel. All members are thread-safe except the destructor, which destroys what
// was not received; nobody may be waiting then. Only the constructor allocates.
template <class T>
class channel {
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>,
                "heist: the items of a channel must be objects that are moved and destroyed "
                "without exceptions");

 public:
  // `capacity`: how many items the channel holds that nobody has received yet. 0: send() waits for
  // the receiver.
  explicit channel(std::size_t capacity, detail::place made = detail::place::here())
      : capacity_(capacity), cells_(capacity == 0 ? nullptr : std::make_unique<cell[]>(capacity)) {
    detail::note_made(this, made);
    detail::race::order(this, detail::race::message::made);
  }
  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;
  ~channel() {
    while (size_ != 0) static_cast<void>(take_oldest());
  }

  // How many items it holds at most before send() waits.
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

  // Waits while the channel is full. False if the channel is closed, also while send() waits: then
  // the caller still has the item.
  [[nodiscard]] bool send(T&& item) noexcept;
  [[nodiscard]] bool send(const T& item)
  requires std::is_copy_constructible_v<T>
  {
    return send(T(item));
  }
  // False, and nothing is moved, if the channel is full now, or closed.
  [[nodiscard]] bool try_send(T&& item) noexcept { return offer(item, nullptr) == answer::done; }
  [[nodiscard]] bool try_send(const T& item)
  requires std::is_copy_constructible_v<T>
  {
    return try_send(T(item));
  }

  // Waits for an item; returns nothing if the channel is closed and empty.
  [[nodiscard]] std::optional<T> receive() noexcept;
  // Returns nothing if there is no item now.
  [[nodiscard]] std::optional<T> try_receive() noexcept;

  // send() and receive() with a time limit. The send functions also return false, and the caller
  // still has the item, if the channel stayed full until then; is_closed() tells the two cases
  // apart. They throw resource_error or std::bad_alloc where they have to wait and can't.
  template <class Rep, class Period>
  [[nodiscard]] bool send_for(T&& item, std::chrono::duration<Rep, Period> time) {
    return send_in_time(item, detail::due_in(time));
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool send_until(T&& item, std::chrono::time_point<Clock, Duration> time) {
    return send_in_time(item, detail::due_at(time));
  }
  template <class Rep, class Period>
  [[nodiscard]] std::optional<T> receive_for(std::chrono::duration<Rep, Period> time) {
    return receive_in_time(detail::due_in(time));
  }
  template <class Clock, class Duration>
  [[nodiscard]] std::optional<T> receive_until(std::chrono::time_point<Clock, Duration> time) {
    return receive_in_time(detail::due_at(time));
  }

  // The channel takes no more items. Waiting senders are refused; receivers get the remaining items
  // and then nothing. A second call has no effect.
  void close() noexcept;
  // Whether close() was called.
  [[nodiscard]] bool is_closed() const noexcept {
    const detail::holding hold(guard_);
    return is_closed_;
  }

 private:
  enum class answer : unsigned char { done, closed, wait };

  struct cell;
  struct sender;
  struct receiver;
  template <class Waiter, class Item>
  struct timed;

  // With me == nullptr these list no waiter.
  answer offer(T& item, sender* me) noexcept;
  answer accept(std::optional<T>& item, receiver* me) noexcept;
  bool send_in_time(T& item, detail::due_time due);
  std::optional<T> receive_in_time(detail::due_time due);

  detail::waiter_list& waiting(sender&) noexcept { return senders_; }
  detail::waiter_list& waiting(receiver&) noexcept { return receivers_; }
  // The ring of items.
  [[nodiscard]] T& at(std::size_t i) noexcept;
  void put_newest(T&& item) noexcept;
  void make_room();
  T take_oldest() noexcept;

  std::size_t capacity_;
  std::unique_ptr<cell[]> cells_;
  mutable detail::short_lock guard_;
  std::size_t oldest_ = 0;  // guarded by guard_, as is the rest
  std::size_t size_ = 0;
  bool is_closed_ = false;
  detail::waiter_list senders_;    // empty unless the channel is full
  detail::waiter_list receivers_;  // empty unless there is no item
};

template <class T>
requires(!std::is_object_v<T>)
class channel<T> {
  static_assert(std::is_object_v<T>,
                "heist: the items of a channel must be objects, not references: use a pointer or a "
                "std::reference_wrapper");

 public:
  explicit channel(std::size_t);
};

}  // namespace heist::inline v0

#include "heist/detail/channel_impl.hpp"
