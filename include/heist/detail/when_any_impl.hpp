// The machinery of <heist/when_any.hpp>: the block that takes the first result.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "heist/detail/export.hpp"
#include "heist/future.hpp"
#include "heist/when_any.hpp"

namespace heist::inline v0 {

namespace detail {

[[noreturn]] HEIST_API void throw_any_of_none();

// Collects the first input that is ready; ignores the others when they are ready too. It has one
// more user than other blocks: the inputs, whose continuations lie in it.
template <class Inputs, class T>
class any_of_futures final : public state_of<T>,
                             private awaited_inputs<any_of_futures<Inputs, T>, Inputs> {
  using awaited = awaited_inputs<any_of_futures, Inputs>;
  friend awaited;

 public:
  using collector = T (*)(Inputs&, std::size_t);

  any_of_futures(Inputs&& inputs, std::size_t n, collector collect)
      : state_of<T>(&destroy), awaited(std::move(inputs), n), collect_(collect) {}

  void begin() {
    this->enter();
    this->attach_all("when_any");
    leave_if_last();
  }

 private:
  static void destroy(future_state& s) noexcept { delete static_cast<any_of_futures*>(&s); }
  void one_is_ready(std::size_t i) noexcept {
    // Relaxed: the thread that comes first takes its own input's result, which it has seen.
    if (!has_first_.exchange(true, std::memory_order_relaxed)) {
      this->make([this, i]() -> T { return collect_(this->inputs_, i); });
      this->complete();
    }
    leave_if_last();
  }
  void leave_if_last() noexcept {
    if (this->count_off()) this->leave();
  }

  std::atomic<bool> has_first_{false};
  collector collect_;
};

template <class Result, std::size_t I, class Inputs>
Result collect_one(Inputs& inputs) {
  return Result(std::in_place_index<I>, take_element(std::get<I>(inputs)));
}

}  // namespace detail

template <class... T>
requires(sizeof...(T) > 0 && (!std::is_reference_v<T> && ...))
auto when_any(future<T>... inputs)
    -> future<std::variant<std::conditional_t<std::is_void_v<T>, std::monostate, T>...>> {
  (static_cast<void>(detail::future_access::state(inputs, "when_any")), ...);
  using all = std::tuple<future<T>...>;
  using result = std::variant<detail::element_of_all<T>...>;
  using block = detail::any_of_futures<all, result>;
  const auto collect = [](all& a, std::size_t i) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      using one = result (*)(all&);
      constexpr one collectors[] = {&detail::collect_one<result, I, all>...};
      return collectors[i](a);
    }(std::index_sequence_for<T...>());
  };
  return detail::hand_out(std::make_unique<block>(all(std::move(inputs)...), sizeof...(T), collect),
                          {}, [](block& b) { b.begin(); });
}

template <class T>
auto when_any(std::vector<future<T>> inputs) -> future<any_result<T>> {
  if (inputs.empty()) detail::throw_any_of_none();
  for (const future<T>& f : inputs) static_cast<void>(detail::future_access::state(f, "when_any"));
  using all = std::vector<future<T>>;
  using block = detail::any_of_futures<all, any_result<T>>;
  const std::size_t n = inputs.size();
  const auto collect = [](all& a, std::size_t i) {
    return any_result<T>{i, detail::take_element(a[i])};
  };
  return detail::hand_out(std::make_unique<block>(std::move(inputs), n, collect), {},
                          [](block& b) { b.begin(); });
}

}  // namespace heist::inline v0
