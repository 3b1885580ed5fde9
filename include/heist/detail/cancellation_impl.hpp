// The machinery of <heist/cancellation.hpp>: functions that ask the stop condition before they
// begin.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "heist/cancellation.hpp"
#include "heist/detail/stopping.hpp"
#include "heist/fork_join.hpp"
#include "heist/pool.hpp"

namespace heist::inline v0 {

namespace detail {

// Thrown instead of a call; caught by the fork_join below.
struct [[gnu::visibility("default")]] not_begun {};

struct count_at_end {
  std::atomic<std::uint64_t>& count;
  // Relaxed: read after the join.
  ~count_at_end() { count.fetch_add(1, std::memory_order_relaxed); }
};

template <class Stop, class F>
struct asking_first {
  std::remove_reference_t<F>& function;
  const Stop& stop;
  std::atomic<std::uint64_t>& done;

  std::invoke_result_t<F> operator()() const {
    if (stop.stop_requested()) throw not_begun{};
    const count_at_end counts{done};  // also if it throws
    return static_cast<F&&>(function)();
  }
};

}  // namespace detail

template <stop_condition Stop, class... F>
requires(sizeof...(F) >= 2 && (std::is_invocable_v<F> && ...))
auto fork_join(const Stop& stop, F&&... f) {
  std::atomic<std::uint64_t> done{0};
  try {
    return fork_join(detail::asking_first<Stop, F>{f, stop, done}...);
  } catch (const detail::not_begun&) {
  }
  detail::throw_cancelled(done.load(std::memory_order_relaxed), sizeof...(F));
}

template <stop_condition Stop, class... F>
requires(sizeof...(F) >= 2 && (std::is_invocable_v<F> && ...))
auto fork_join(pool& p, Stop stop, F&&... f) {
  return p.run([&] { return fork_join(stop, std::forward<F>(f)...); });
}

template <detail::asks_for_stop Stop, class... F>
requires(!stop_condition<Stop> || sizeof...(F) < 2 || !(std::is_invocable_v<F> && ...))
detail::refused fork_join(const Stop&, F&&...) {
  using detail::refusal;
  detail::say<!stop_condition<Stop> ? refusal::stop_unsuitable
              : sizeof...(F) < 2    ? refusal::arguments
                                    : refusal::not_callable>();
  return {};
}

}  // namespace heist::inline v0
