// The same small part of P2300: algorithms with one sender before them.
#pragma once

#include <concepts>
#include <exception>
#include <functional>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "stdexec/protocol.hpp"

namespace stdexec {

// What an algorithm returns: its tag says the rest. Made of three parts, as the paper requires of
// senders that a domain takes apart.
template <class Tag, class Data, class Before>
struct expression {
  using sender_concept = sender_t;
  Tag tag;
  Data data;
  Before before;

  template <class Self, class Env>
  static consteval auto get_completion_signatures() {
    return typename Tag::template signatures<Data, Before, Env>();
  }
  template <receiver R>
  auto connect(R r) && {
    return Tag::connect(std::move(data), std::move(before), std::move(r));
  }
  template <receiver R>
  auto connect(R r) const& {
    return Tag::connect(data, before, std::move(r));
  }
  [[nodiscard]] auto get_env() const noexcept { return Tag::attributes(data, before); }
};
template <class Tag, class Data, class Before>
struct tag_of<expression<Tag, Data, Before>> {
  using type = Tag;
};

// sender | algorithm(arguments...)
template <class F>
struct closure {
  F apply;
  template <sender S>
  friend auto operator|(S&& s, closure c) {
    return std::move(c.apply)(std::forward<S>(s));
  }
};
template <class F>
closure(F) -> closure<F>;

// The parts of an algorithm that completes where the sender before it does.
struct inline_algorithm {
  template <class Data, class Before>
  static auto attributes(const Data&, const Before& before) noexcept {
    return stdexec::get_env(before);
  }
};

// ---- [exec.just]

template <class... Values>
struct just_sender {
  using sender_concept = sender_t;
  std::tuple<Values...> values;

  template <class R>
  struct operation {
    using operation_state_concept = operation_state_t;
    std::tuple<Values...> values;
    R receiver;
    void start() noexcept {
      std::apply([&](auto&... v) { set_value(std::move(receiver), std::move(v)...); }, values);
    }
  };
  template <class Self, class Env>
  static consteval auto get_completion_signatures() {
    return completion_signatures<set_value_t(Values...)>();
  }
  template <receiver R>
  auto connect(R r) const {
    return operation<R>{values, std::move(r)};
  }
};
struct just_t {
  template <class... Values>
  auto operator()(Values... values) const {
    return just_sender<Values...>{{std::move(values)...}};
  }
};
inline constexpr just_t just{};

// A receiver that passes on what it doesn't hide.
template <class R>
struct passing {
  using receiver_concept = receiver_t;
  R receiver;
  void set_error(std::exception_ptr e) noexcept {
    stdexec::set_error(std::move(receiver), std::move(e));
  }
  void set_stopped() noexcept { stdexec::set_stopped(std::move(receiver)); }
  [[nodiscard]] auto get_env() const noexcept { return stdexec::get_env(receiver); }
};

// ---- [exec.then]

struct then_t : inline_algorithm {
  template <class F>
  struct map {
    template <class... Values>
    using result = std::invoke_result_t<F, Values...>;
    template <class... Values>
    using apply = joined_t<
        std::conditional_t<
            std::is_void_v<result<Values...>>, completion_signatures<set_value_t()>,
            completion_signatures<set_value_t(
                std::conditional_t<std::is_void_v<result<Values...>>, int, result<Values...>>)>>,
        an_error_if<!std::is_nothrow_invocable_v<F, Values...>>>;
  };
  template <class F, class Before, class Env>
  using signatures = mapped_t<map<F>, completion_signatures_of_t<Before, Env>>;

  template <class R, class F>
  struct after : passing<R> {
    F f;
    template <class... Values>
    void set_value(Values&&... values) noexcept {
      const auto call = [&] {
        if constexpr (std::is_void_v<std::invoke_result_t<F, Values...>>) {
          std::invoke(std::move(f), std::forward<Values>(values)...);
          stdexec::set_value(std::move(this->receiver));
        } else {
          stdexec::set_value(std::move(this->receiver),
                             std::invoke(std::move(f), std::forward<Values>(values)...));
        }
      };
      if constexpr (std::is_nothrow_invocable_v<F, Values...>) {
        call();
      } else {
        try {
          call();
        } catch (...) {
          stdexec::set_error(std::move(this->receiver), std::current_exception());
        }
      }
    }
  };
  template <class F, class Before, class R>
  static auto connect(F f, Before&& before, R r) {
    return stdexec::connect(std::forward<Before>(before),
                            after<R, F>{{std::move(r)}, std::move(f)});
  }

  template <sender S, class F>
  auto operator()(S&& s, F f) const {
    return expression<then_t, F, std::remove_cvref_t<S>>{{}, std::move(f), std::forward<S>(s)};
  }
  template <class F>
  auto operator()(F f) const {
    return closure{[f = std::move(f)](auto&& s) mutable {
      return then_t()(std::forward<decltype(s)>(s), std::move(f));
    }};
  }
};
inline constexpr then_t then{};

// ---- [exec.bulk], with P3481's policies

struct sequenced_policy {};
struct parallel_policy {};
struct parallel_unsequenced_policy {};
inline constexpr sequenced_policy seq{};
inline constexpr parallel_policy par{};
inline constexpr parallel_unsequenced_policy par_unseq{};

template <class Policy, class Shape, class F>
struct bulk_data {
  Policy policy;
  Shape shape;
  F function;
};

// Without a domain of a scheduler's own all of it is one loop on the thread that is there.
template <class Self, class Loop>
struct bulk_algorithm : inline_algorithm {
  template <class Data, class Before, class Env>
  using signatures = joined_t<completion_signatures_of_t<Before, Env>, an_error>;

  template <class R, class Data>
  struct after : passing<R> {
    Data data;
    template <class... Values>
    void set_value(Values&&... values) noexcept {
      try {
        Loop()(data, values...);
      } catch (...) {
        return stdexec::set_error(std::move(this->receiver), std::current_exception());
      }
      stdexec::set_value(std::move(this->receiver), std::forward<Values>(values)...);
    }
  };
  template <class Data, class Before, class R>
  static auto connect(Data data, Before&& before, R r) {
    return stdexec::connect(std::forward<Before>(before),
                            after<R, Data>{{std::move(r)}, std::move(data)});
  }

  template <sender S, class Policy, std::integral Shape, class F>
  auto operator()(S&& s, Policy policy, Shape shape, F f) const {
    using data = bulk_data<Policy, Shape, F>;
    return expression<Self, data, std::remove_cvref_t<S>>{
        {}, data{policy, shape, std::move(f)}, std::forward<S>(s)};
  }
  template <class Policy, std::integral Shape, class F>
  auto operator()(Policy policy, Shape shape, F f) const {
    return closure{[policy, shape, f = std::move(f)](auto&& s) mutable {
      return Self()(std::forward<decltype(s)>(s), policy, shape, std::move(f));
    }};
  }
};
struct index_by_index {
  void operator()(auto& data, auto&... values) const {
    for (decltype(data.shape) i{}; i < data.shape; ++i) data.function(i, values...);
  }
};
struct all_at_once {
  void operator()(auto& data, auto&... values) const {
    data.function(decltype(data.shape){}, data.shape, values...);
  }
};
struct bulk_t : bulk_algorithm<bulk_t, index_by_index> {};
struct bulk_chunked_t : bulk_algorithm<bulk_chunked_t, all_at_once> {};
struct bulk_unchunked_t : bulk_algorithm<bulk_unchunked_t, index_by_index> {};
inline constexpr bulk_t bulk{};
inline constexpr bulk_chunked_t bulk_chunked{};
inline constexpr bulk_unchunked_t bulk_unchunked{};

// ---- [exec.let]

struct let_value_t : inline_algorithm {
  template <class F, class Env>
  struct map {
    template <class... Values>
    using apply =
        joined_t<completion_signatures_of_t<std::invoke_result_t<F, std::decay_t<Values>&...>, Env>,
                 an_error>;
  };
  template <class F, class Before, class Env>
  using signatures = mapped_t<map<F, Env>, completion_signatures_of_t<Before, Env>>;

  template <class F, class Before, class R>
  struct operation {
    using operation_state_concept = operation_state_t;
    using values = kept_values_t<Before, env_of_t<R>>;
    struct first {
      using receiver_concept = receiver_t;
      operation* op;
      template <class... Values>
      void set_value(Values&&... v) noexcept {
        op->go_on(std::forward<Values>(v)...);
      }
      void set_error(std::exception_ptr e) noexcept {
        stdexec::set_error(std::move(op->receiver), std::move(e));
      }
      void set_stopped() noexcept { stdexec::set_stopped(std::move(op->receiver)); }
      [[nodiscard]] env_of_t<R> get_env() const noexcept { return stdexec::get_env(op->receiver); }
    };
    using next_sender = decltype(std::apply(std::declval<F&>(), std::declval<values&>()));

    operation(F function, Before&& before, R r)
        : f(std::move(function)),
          receiver(std::move(r)),
          op1(stdexec::connect(std::move(before), first{this})) {}
    operation(operation&&) = delete;

    void start() noexcept { stdexec::start(op1); }
    template <class... Values>
    void go_on(Values&&... v) noexcept {
      try {
        kept.emplace(std::forward<Values>(v)...);
        op2.emplace(
            elide{[&] { return stdexec::connect(std::apply(f, *kept), passing_on{{receiver}}); }});
      } catch (...) {
        return stdexec::set_error(std::move(receiver), std::current_exception());
      }
      stdexec::start(*op2);
    }
    struct passing_on : passing<R> {
      template <class... Values>
      void set_value(Values&&... v) noexcept {
        stdexec::set_value(std::move(this->receiver), std::forward<Values>(v)...);
      }
    };

    F f;
    R receiver;
    std::optional<values> kept;
    connect_result_t<Before, first> op1;
    std::optional<connect_result_t<next_sender, passing_on>> op2;
  };
  template <class F, class Before, class R>
  static auto connect(F f, Before before, R r) {
    return operation<F, Before, R>(std::move(f), std::move(before), std::move(r));
  }
  // Where the second sender completes isn't known.
  template <class F, class Before>
  static empty_env attributes(const F&, const Before&) noexcept {
    return {};
  }

  template <class F>
  auto operator()(F f) const {
    return closure{[f = std::move(f)](auto&& s) mutable {
      return expression<let_value_t, F, std::remove_cvref_t<decltype(s)>>{
          {}, std::move(f), std::forward<decltype(s)>(s)};
    }};
  }
};
inline constexpr let_value_t let_value{};

}  // namespace stdexec
