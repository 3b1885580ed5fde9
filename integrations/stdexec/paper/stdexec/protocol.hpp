// A small part of P2300 in namespace stdexec, to test heist's adapter where NVIDIA's stdexec isn't
// installed: the protocol. Written to the paper (P2300R10, [exec]), with what later papers changed
// where the adapter depends on it. Errors are std::exception_ptr only, and a sender has one
// set_value signature.
#pragma once

#include <concepts>
#include <exception>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>

namespace stdexec {

// ---- [exec.recv]: completions.

struct set_value_t {
  template <class R, class... Values>
  void operator()(R&& r, Values&&... values) const noexcept {
    static_assert(noexcept(std::forward<R>(r).set_value(std::forward<Values>(values)...)));
    std::forward<R>(r).set_value(std::forward<Values>(values)...);
  }
};
struct set_error_t {
  template <class R, class Error>
  void operator()(R&& r, Error&& error) const noexcept {
    static_assert(noexcept(std::forward<R>(r).set_error(std::forward<Error>(error))));
    std::forward<R>(r).set_error(std::forward<Error>(error));
  }
};
struct set_stopped_t {
  template <class R>
  void operator()(R&& r) const noexcept {
    static_assert(noexcept(std::forward<R>(r).set_stopped()));
    std::forward<R>(r).set_stopped();
  }
};
inline constexpr set_value_t set_value{};
inline constexpr set_error_t set_error{};
inline constexpr set_stopped_t set_stopped{};

struct receiver_t {};
struct sender_t {};
struct operation_state_t {};
struct scheduler_t {};

// ---- [exec.queryable]: environments.

struct empty_env {};

struct get_env_t {
  template <class T>
  decltype(auto) operator()(const T& t) const noexcept {
    if constexpr (requires { t.get_env(); })
      return t.get_env();
    else
      return empty_env();
  }
};
inline constexpr get_env_t get_env{};
template <class T>
using env_of_t = decltype(get_env(std::declval<T>()));

// An environment with one answer before another's.
template <class Query, class Value, class Env>
struct env_with {
  Value value;
  Env env;
  [[nodiscard]] Value query(Query) const noexcept { return value; }
  template <class Q>
  requires(!std::same_as<Q, Query>) && requires(const Env& e, Q q) { e.query(q); }
  [[nodiscard]] decltype(auto) query(Q q) const noexcept {
    return env.query(q);
  }
};

// ---- [stoptoken]: std's is the one that can be stopped.

struct never_stop_token {
  [[nodiscard]] static constexpr bool stop_requested() noexcept { return false; }
  [[nodiscard]] static constexpr bool stop_possible() noexcept { return false; }
  friend bool operator==(never_stop_token, never_stop_token) noexcept = default;
};
using inplace_stop_source = std::stop_source;
using inplace_stop_token = std::stop_token;
template <class Token>
concept unstoppable_token = requires { requires !std::remove_cvref_t<Token>::stop_possible(); };

// ---- [exec.queries].

template <class Env, class Query>
concept answers = requires(const Env& e, Query q) { e.query(q); };

struct get_stop_token_t {
  template <class Env>
  auto operator()(const Env& e) const noexcept {
    if constexpr (answers<Env, get_stop_token_t>)
      return e.query(*this);
    else
      return never_stop_token();
  }
};
template <class Self>
struct query_of {
  template <answers<Self> Env>
  auto operator()(const Env& e) const noexcept {
    return e.query(static_cast<const Self&>(*this));
  }
};
struct get_scheduler_t : query_of<get_scheduler_t> {};
struct get_domain_t : query_of<get_domain_t> {};
struct get_forward_progress_guarantee_t : query_of<get_forward_progress_guarantee_t> {};
template <class Completion>
struct get_completion_scheduler_t : query_of<get_completion_scheduler_t<Completion>> {};

inline constexpr get_stop_token_t get_stop_token{};
inline constexpr get_scheduler_t get_scheduler{};
inline constexpr get_domain_t get_domain{};
inline constexpr get_forward_progress_guarantee_t get_forward_progress_guarantee{};
template <class Completion>
inline constexpr get_completion_scheduler_t<Completion> get_completion_scheduler{};
enum class forward_progress_guarantee { concurrent, parallel, weakly_parallel };

template <class Env>
using stop_token_of_t = decltype(get_stop_token(std::declval<Env>()));

// ---- Concepts.

template <class R>
concept receiver =
    std::derived_from<typename std::remove_cvref_t<R>::receiver_concept, receiver_t> &&
    std::is_nothrow_move_constructible_v<std::remove_cvref_t<R>>;

template <class S>
concept sender = std::derived_from<typename std::remove_cvref_t<S>::sender_concept, sender_t> &&
                 std::move_constructible<std::remove_cvref_t<S>>;

template <class O>
concept operation_state =
    std::derived_from<typename O::operation_state_concept, operation_state_t> &&
    std::is_object_v<O> && std::destructible<O> && requires(O& o) {
      { o.start() } noexcept;
    };

template <class S>
concept scheduler =
    std::derived_from<typename std::remove_cvref_t<S>::scheduler_concept, scheduler_t> &&
    std::equality_comparable<std::remove_cvref_t<S>> &&
    std::copy_constructible<std::remove_cvref_t<S>> && requires(const S& s) {
      { s.schedule() } -> sender;
      {
        get_completion_scheduler<set_value_t>(get_env(s.schedule()))
      } -> std::same_as<std::remove_cvref_t<S>>;
    };

// ---- [exec.util.cmplsig]: signatures as lists.

template <class... Signatures>
struct completion_signatures {};

template <class... Lists>
struct joined;
template <class... S>
struct joined<completion_signatures<S...>> {
  using type = completion_signatures<S...>;
};
template <class... S, class... Rest>
struct joined<completion_signatures<S...>, completion_signatures<>, Rest...>
    : joined<completion_signatures<S...>, Rest...> {};
template <class... S, class First, class... More, class... Rest>
struct joined<completion_signatures<S...>, completion_signatures<First, More...>, Rest...>
    : joined<std::conditional_t<(std::same_as<S, First> || ...), completion_signatures<S...>,
                                completion_signatures<S..., First>>,
             completion_signatures<More...>, Rest...> {};
template <class... Lists>
using joined_t = typename joined<completion_signatures<>, Lists...>::type;

// Map::apply<Values...> for the set_value signature; the others stay.
template <class Map, class Signature>
struct mapped {
  using type = completion_signatures<Signature>;
};
template <class Map, class... Values>
struct mapped<Map, set_value_t(Values...)> {
  using type = typename Map::template apply<Values...>;
};
template <class Map, class List>
struct mapped_list;
template <class Map, class... S>
struct mapped_list<Map, completion_signatures<S...>> {
  using type = joined_t<typename mapped<Map, S>::type...>;
};
template <class Map, class List>
using mapped_t = typename mapped_list<Map, List>::type;

struct no_values {
  template <class...>
  using apply = completion_signatures<>;
};
using an_error = completion_signatures<set_error_t(std::exception_ptr)>;
template <bool Is>
using an_error_if = std::conditional_t<Is, an_error, completion_signatures<>>;

// ---- [exec.domain]: who says how an algorithm runs.

template <class Sender>
struct tag_of;
template <class Sender>
using tag_of_t = typename tag_of<std::remove_cvref_t<Sender>>::type;

struct default_domain {};

// Where a sender completes, if it says so, else where it is started.
template <class S, class Env>
auto domain_of(const S& s, const Env& env) {
  if constexpr (requires { get_domain(get_completion_scheduler<set_value_t>(get_env(s))); })
    return get_domain(get_completion_scheduler<set_value_t>(get_env(s)));
  else if constexpr (requires { get_domain(get_scheduler(env)); })
    return get_domain(get_scheduler(env));
  else
    return default_domain();
}
template <class S, class Env>
decltype(auto) transform_sender(S&& s, const Env& env) {
  const auto domain = domain_of(s, env);
  if constexpr (requires { domain.transform_sender(set_value, std::forward<S>(s), env); })
    return domain.transform_sender(set_value, std::forward<S>(s), env);
  else
    return std::forward<S>(s);
}
template <class S, class Env>
using transformed_t = decltype(transform_sender(std::declval<S>(), std::declval<const Env&>()));

// ---- [exec.connect], [exec.getcomplsigs].

struct connect_t {
  template <sender S, receiver R>
  auto operator()(S&& s, R r) const {
    using transformed = transformed_t<S, env_of_t<R>>;
    const auto& env = get_env(r);
    static_assert(
        operation_state<decltype(std::declval<transformed>().connect(std::declval<R>()))>);
    return static_cast<transformed&&>(transform_sender(std::forward<S>(s), env))
        .connect(std::move(r));
  }
};
inline constexpr connect_t connect{};
template <class S, class R>
using connect_result_t = decltype(connect(std::declval<S>(), std::declval<R>()));

struct start_t {
  template <class O>
  void operator()(O& o) const noexcept {
    o.start();
  }
};
inline constexpr start_t start{};

template <class S, class Env = empty_env>
using completion_signatures_of_t =
    decltype(std::remove_reference_t<transformed_t<S, Env>>::template get_completion_signatures<
             transformed_t<S, Env>, Env>());

struct schedule_t {
  template <scheduler S>
  auto operator()(const S& s) const {
    return s.schedule();
  }
};
inline constexpr schedule_t schedule{};

// The values of a sender, as they are kept from one operation to the next.
template <class List>
struct kept_values;
template <class... Values, class... Rest>
struct kept_values<completion_signatures<set_value_t(Values...), Rest...>> {
  using type = std::tuple<std::decay_t<Values>...>;
};
template <class First, class... Rest>
struct kept_values<completion_signatures<First, Rest...>>
    : kept_values<completion_signatures<Rest...>> {};
template <class S, class Env>
using kept_values_t = typename kept_values<completion_signatures_of_t<S, Env>>::type;

// Makes an object of a type that can't be moved in a std::optional: o.emplace(elide(f)).
template <class F>
struct elide {
  F make;
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator std::invoke_result_t<F&>() { return make(); }
};
template <class F>
elide(F) -> elide<F>;

}  // namespace stdexec
