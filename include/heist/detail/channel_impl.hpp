// The machinery of <heist/sync/channel.hpp>: the waiters, and the ring of items.
#pragma once

#include <cstddef>
#include <new>
#include <optional>
#include <utility>

#include "heist/detail/alarm.hpp"
#include "heist/detail/waiters.hpp"
#include "heist/sync/channel.hpp"

namespace heist::inline v0 {

template <class T>
struct channel<T>::cell {
  alignas(T) std::byte bytes[sizeof(T)];
};

template <class T>
struct channel<T>::sender : detail::waiter {
  explicit sender(T& i) noexcept : item(i) {}
  T& item;  // granted: it was moved from
};

template <class T>
struct channel<T>::receiver : detail::waiter {
  explicit receiver(std::optional<T>& i) noexcept : item(i) {}
  std::optional<T>& item;
};

// One of these waiters with a time limit.
template <class T>
template <class Waiter, class Item>
struct channel<T>::timed : Waiter, detail::alarm {
  timed(channel& c, Item& what, detail::due_time due)
      : Waiter(what), alarm(&time_is_over, due), owner(c) {}

  static void time_is_over(detail::alarm& a) noexcept {
    auto& self = static_cast<timed&>(a);
    {
      const detail::holding hold(self.owner.guard_);
      if (!self.is_listed) return;
      self.owner.waiting(self).remove(self);
    }
    self.point.end();
  }
  channel& owner;
};

template <class T>
inline bool channel<T>::send(T&& item) noexcept {
  if constexpr (HEIST_RACE) make_room();
  sender me(item);
  switch (offer(item, &me)) {
    case answer::done:
      return true;
    case answer::closed:
      return false;
    case answer::wait:
      break;
  }
  me.point.wait({detail::wait_kind::sender, false, this});
  return me.is_granted;
}

template <class T>
inline std::optional<T> channel<T>::receive() noexcept {
  std::optional<T> item;
  receiver me(item);
  if (accept(item, &me) == answer::wait) me.point.wait({detail::wait_kind::receiver, false, this});
  return item;
}

template <class T>
inline std::optional<T> channel<T>::try_receive() noexcept {
  std::optional<T> item;
  accept(item, nullptr);
  return item;
}

template <class T>
inline void channel<T>::close() noexcept {
  detail::race::order(this, detail::race::message::told);
  detail::waiter_list senders;
  detail::waiter_list receivers;
  {
    const detail::holding hold(guard_);
    is_closed_ = true;
    senders = senders_.take_all();
    receivers = receivers_.take_all();
  }
  senders.end_all();
  receivers.end_all();
}

template <class T>
inline bool channel<T>::send_in_time(T& item, detail::due_time due) {
  if constexpr (HEIST_RACE) make_room();
  const answer now = offer(item, nullptr);
  if (now != answer::wait || detail::is_over(due)) return now == answer::done;
  timed<sender, T> me(*this, item, due);
  const answer then = offer(item, &me);
  if (then != answer::wait) return then == answer::done;
  me.set();
  me.point.wait({detail::wait_kind::sender, true, this});
  return me.is_granted;
}

template <class T>
inline std::optional<T> channel<T>::receive_in_time(detail::due_time due) {
  std::optional<T> item;
  if (accept(item, nullptr) != answer::wait || detail::is_over(due)) return item;
  timed<receiver, std::optional<T>> me(*this, item, due);
  if (accept(item, &me) != answer::wait) return item;
  me.set();
  me.point.wait({detail::wait_kind::receiver, true, this});
  return item;
}

template <class T>
inline auto channel<T>::offer(T& item, sender* me) noexcept -> answer {
  detail::waiter* served = nullptr;
  {
    const detail::holding hold(guard_);
    if (is_closed_) {
      detail::race::order(this, detail::race::message::heard);
      return answer::closed;
    }
    if ((served = receivers_.pop()) != nullptr) {
      static_cast<receiver*>(served)->item.emplace(std::move(item));
    } else if (size_ < capacity_) {
      put_newest(std::move(item));
      detail::race::order(this, detail::race::message::sent);
    } else {
      if (me != nullptr) senders_.push_back(*me);
      return answer::wait;
    }
  }
  if (served != nullptr) served->point.end();
  return answer::done;
}

template <class T>
inline auto channel<T>::accept(std::optional<T>& item, receiver* me) noexcept -> answer {
  detail::waiter* served = nullptr;
  {
    const detail::holding hold(guard_);
    served = senders_.pop();
    if (size_ != 0) {
      detail::race::order(this, detail::race::message::received);
      item.emplace(take_oldest());
      if (served != nullptr) put_newest(std::move(static_cast<sender*>(served)->item));
    } else if (served != nullptr) {
      item.emplace(std::move(static_cast<sender*>(served)->item));
    } else if (is_closed_) {
      detail::race::order(this, detail::race::message::heard);
      return answer::closed;
    } else {
      if (me != nullptr) receivers_.push_back(*me);
      return answer::wait;
    }
    if (served != nullptr) served->is_granted = true;
  }
  if (served != nullptr) served->point.end();
  return answer::done;
}

template <class T>
inline void channel<T>::put_newest(T&& item) noexcept {
  const std::size_t space = capacity_ - oldest_;  // no sum that could overflow
  const std::size_t i = size_ < space ? oldest_ + size_ : size_ - space;
  ::new (static_cast<void*>(cells_[i].bytes)) T(std::move(item));
  ++size_;
}

// For the race detector: in a serial run nobody receives while a sender waits, so that a full
// channel grows.
template <class T>
inline void channel<T>::make_room() {
  const detail::holding hold(guard_);
  if (size_ < capacity_ || is_closed_) return;
  const std::size_t n = capacity_ == 0 ? 1 : 2 * capacity_;
  auto grown = std::make_unique<cell[]>(n);
  for (std::size_t i = 0; i < size_; ++i) {
    T& old = at((oldest_ + i) % capacity_);
    ::new (static_cast<void*>(grown[i].bytes)) T(std::move(old));
    old.~T();
  }
  cells_ = std::move(grown);
  oldest_ = 0;
  capacity_ = n;
}

template <class T>
inline T channel<T>::take_oldest() noexcept {
  T& oldest = at(oldest_);
  T item(std::move(oldest));
  oldest.~T();
  oldest_ = oldest_ + 1 == capacity_ ? 0 : oldest_ + 1;
  --size_;
  return item;
}

template <class T>
inline T& channel<T>::at(std::size_t i) noexcept {
  return *std::launder(reinterpret_cast<T*>(cells_[i].bytes));
}

}  // namespace heist::inline v0
