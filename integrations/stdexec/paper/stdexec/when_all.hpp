// The same small part of P2300: when_all. The first child that fails or is stopped asks the others
// to stop.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <optional>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>

#include "stdexec/protocol.hpp"

namespace stdexec {

template <class... Children>
struct when_all_sender {
  using sender_concept = sender_t;
  std::tuple<Children...> children;

  template <class Env>
  using child_env = env_with<get_stop_token_t, inplace_stop_token, std::remove_cvref_t<Env>>;
  template <class Env>
  using values_t =
      decltype(std::tuple_cat(std::declval<kept_values_t<Children, child_env<Env>>>()...));

  template <class Values>
  struct signatures_of;
  template <class... V>
  struct signatures_of<std::tuple<V...>> {
    using type =
        completion_signatures<set_value_t(V...), set_error_t(std::exception_ptr), set_stopped_t()>;
  };
  template <class Self, class Env>
  static consteval auto get_completion_signatures() {
    return typename signatures_of<values_t<Env>>::type();
  }

  template <class R>
  class operation;
  template <receiver R>
  auto connect(R r) && {
    return operation<R>(std::move(children), std::move(r), std::index_sequence_for<Children...>());
  }
};

template <class... Children>
template <class R>
class when_all_sender<Children...>::operation {
  using env = child_env<env_of_t<R>>;

  template <std::size_t I>
  struct child_receiver {
    using receiver_concept = receiver_t;
    operation* op;
    template <class... V>
    void set_value(V&&... v) noexcept {
      std::get<I>(op->kept_).emplace(std::forward<V>(v)...);
      op->arrive();
    }
    void set_error(std::exception_ptr e) noexcept {
      // The first of the failures counts. Relaxed: arrive() orders it before the end.
      if (op->failures_.fetch_add(1, std::memory_order_relaxed) == 0) op->thrown_ = std::move(e);
      op->stop_.request_stop();
      op->arrive();
    }
    void set_stopped() noexcept {
      op->failures_.fetch_add(1, std::memory_order_relaxed);
      op->stop_.request_stop();
      op->arrive();
    }
    [[nodiscard]] env get_env() const noexcept {
      return {op->stop_.get_token(), stdexec::get_env(op->receiver_)};
    }
  };
  template <class Sequence>
  struct operations_of;
  template <std::size_t... I>
  struct operations_of<std::index_sequence<I...>> {
    std::tuple<std::optional<connect_result_t<Children, child_receiver<I>>>...> each;
  };

 public:
  using operation_state_concept = operation_state_t;

  template <std::size_t... I>
  operation(std::tuple<Children...>&& children, R r, std::index_sequence<I...>)
      : receiver_(std::move(r)) {
    (std::get<I>(operations_.each).emplace(elide{[&] {
      return stdexec::connect(std::move(std::get<I>(children)), child_receiver<I>{this});
    }}),
     ...);
  }
  operation(operation&&) = delete;

  void start() noexcept {
    const auto outer = get_stop_token(stdexec::get_env(receiver_));
    if constexpr (!unstoppable_token<decltype(outer)>) on_stop_.emplace(outer, request{this});
    std::apply([](auto&... op) { (stdexec::start(*op), ...); }, operations_.each);
  }

 private:
  struct request {
    operation* op;
    void operator()() const noexcept { op->stop_.request_stop(); }
  };

  void arrive() noexcept {
    // Acquire and release: the last sees what the others have kept.
    if (left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    on_stop_.reset();
    if (thrown_) return set_error(std::move(receiver_), std::move(thrown_));
    if (failures_.load(std::memory_order_relaxed) != 0) return set_stopped(std::move(receiver_));
    auto values =
        std::apply([](auto&... kept) { return std::tuple_cat(std::move(*kept)...); }, kept_);
    std::apply([&](auto&... v) { set_value(std::move(receiver_), std::move(v)...); }, values);
  }

  R receiver_;
  inplace_stop_source stop_;
  std::optional<std::stop_callback<request>> on_stop_;
  std::atomic<std::size_t> left_{sizeof...(Children)};
  std::atomic<int> failures_{0};
  std::exception_ptr thrown_;  // written by the first that fails
  std::tuple<std::optional<kept_values_t<Children, env>>...> kept_;
  operations_of<std::index_sequence_for<Children...>> operations_;
};

struct when_all_t {
  template <sender... S>
  auto operator()(S... children) const {
    return when_all_sender<S...>{{std::move(children)...}};
  }
};
inline constexpr when_all_t when_all{};

}  // namespace stdexec
