// What can stop a construct, and how it says so. Users include <heist/cancellation.hpp>.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include "heist/detail/export.hpp"

namespace heist::inline v0 {

// Says whether to stop: std::stop_token, std::stop_source, task_scope, deadline, or a class of the
// program. Several threads ask it at once, between chunks of a few microseconds; once it has
// returned true it must always return true. What is passed to a construct must live as long as the
// call.
template <class S>
concept stop_condition = requires(const S& s) {
  { s.stop_requested() } noexcept -> std::same_as<bool>;
};

namespace detail {

// Throws heist::cancelled.
[[noreturn]] HEIST_API void throw_cancelled(std::uint64_t done, std::uint64_t total);

// Refers to a stop_condition of any type, or to none, which never stops.
class stop_poll {
 public:
  constexpr stop_poll() noexcept = default;
  template <stop_condition S>
  explicit stop_poll(const S& s) noexcept
      : ask_([](const void* what) noexcept {
          return static_cast<const S*>(what)->stop_requested();
        }),
        what_(&s) {}

  [[nodiscard]] bool is_there() const noexcept { return ask_ != nullptr; }
  [[nodiscard]] bool stop_requested() const noexcept { return ask_ != nullptr && ask_(what_); }

 private:
  bool (*ask_)(const void*) noexcept = nullptr;
  const void* what_ = nullptr;
};

// The base of an algorithm's implementation: whether it is called under a stop condition, and under
// which one.
struct never_stops {};

template <class Stop>
struct stopped_by {
  const Stop* stop = nullptr;
};
template <>
struct stopped_by<never_stops> {};

// Impl::with_stop<S>: the same algorithm under a stop condition.
template <class Impl, class S>
concept can_stop = stop_condition<S> && requires { typename Impl::template with_stop<S>; };

template <class Impl, class S>
struct stopped_form {
  using type = typename Impl::template with_stop<S>;
};
template <class Impl, class S>
auto under(const S& stop) {
  typename stopped_form<Impl, S>::type call;
  call.stop = &stop;
  return call;
}

}  // namespace detail

}  // namespace heist::inline v0
