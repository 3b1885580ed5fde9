// The machinery of <heist/future.hpp>: the blocks behind submit, then and when_all.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "heist/detail/export.hpp"
#include "heist/detail/future_state.hpp"
#include "heist/detail/monostate.hpp"
#include "heist/detail/root.hpp"
#include "heist/detail/stopping.hpp"
#include "heist/future.hpp"

namespace heist::inline v0 {

namespace detail {

[[noreturn]] HEIST_API void throw_no_result(const char* member);

struct future_access {
  template <class T>
  static future<T> make(state_of<T>& s) noexcept {
    return future<T>(s);
  }
  template <class T>
  static state_of<T>& state(const future<T>& f, const char* member) {
    return f.checked(member);
  }
};

// Calls f, unless a stop is requested before.
template <class Stop, class F>
struct unless_stopped {
  Stop stop;
  F function;

  template <class... Arguments>
  requires std::is_invocable_v<F, Arguments...>
  std::invoke_result_t<F, Arguments...> operator()(Arguments&&... arguments) && {
    if (stop.stop_requested()) throw_cancelled(0, 1);
    return std::move(function)(std::forward<Arguments>(arguments)...);
  }
};

// Why f can't follow a future<T>.
template <class F, class T>
consteval refusal why_not_followed() {
  using kept = std::decay_t<F>;
  if constexpr (std::is_void_v<T> && !std::is_invocable_v<kept>)
    return refusal::after_nothing;
  else if constexpr (!std::is_void_v<T> && !std::is_invocable_v<kept, T>)
    return refusal::after_value;
  else if constexpr (!std::is_constructible_v<kept, F>)
    return refusal::not_copyable;
  else
    return can_be_returned<then_result_t<kept, T>> ? refusal::none : refusal::result_not_movable;
}

template <class P>
concept is_priority = std::is_same_v<std::remove_cvref_t<P>, priority>;

// Calls with a function, after a stop condition, a priority or both; a place may follow.
template <class F>
inline constexpr bool is_submitted<F> = can_be_kept<F>;
template <class F, class P>
requires std::is_same_v<std::remove_cvref_t<P>, place>
inline constexpr bool is_submitted<F, P> = can_be_kept<F>;
template <class How, class F>
requires(stop_condition<std::remove_cvref_t<How>> || is_priority<How>)
inline constexpr bool is_submitted<How, F> = can_be_kept<F>;
template <class How, class F>
requires(stop_condition<std::remove_cvref_t<How>> || is_priority<How>)
inline constexpr bool is_submitted<How, F, place> = can_be_kept<F>;
template <class Stop, is_priority P, class F>
requires stop_condition<std::remove_cvref_t<Stop>>
inline constexpr bool is_submitted<Stop, P, F> = can_be_kept<F>;
template <class Stop, is_priority P, class F>
requires stop_condition<std::remove_cvref_t<Stop>>
inline constexpr bool is_submitted<Stop, P, F, place> = can_be_kept<F>;

template <class T, class F>
inline constexpr bool is_followed<T, F> = why_not_followed<F, T>() == refusal::none;
template <class T, class F, class P>
requires std::is_same_v<std::remove_cvref_t<P>, place>
inline constexpr bool is_followed<T, F, P> = why_not_followed<F, T>() == refusal::none;
template <class T, class Stop, class F>
requires stop_condition<std::remove_cvref_t<Stop>>
inline constexpr bool is_followed<T, Stop, F> = why_not_followed<F, T>() == refusal::none;
template <class T, class Stop, class F>
requires stop_condition<std::remove_cvref_t<Stop>>
inline constexpr bool is_followed<T, Stop, F, place> = why_not_followed<F, T>() == refusal::none;

// Why such a call is none; Why::of<F>() says it of the function.
struct why_submitted {
  template <class F>
  static consteval refusal of() {
    return why_not_kept<F>();
  }
};
template <class T>
struct why_followed {
  template <class F>
  static consteval refusal of() {
    return why_not_followed<F, T>();
  }
};
template <class Why>
consteval refusal why_no_call() {
  return refusal::arguments;
}
template <class Why, class F>
consteval refusal why_no_call() {
  return Why::template of<F>();
}
template <class Why, class Stop, class F, class... Others>
consteval refusal why_no_call() {
  if constexpr (is_priority<F> && sizeof...(Others) != 0)
    return why_no_call<Why, F, Others...>();
  else if constexpr (constexpr refusal why = Why::template of<F>(); why != refusal::none)
    return why;
  else if constexpr (sizeof...(Others) != 0)
    return refusal::arguments;
  else
    return asks_for_stop<Stop> ? refusal::stop_unsuitable : refusal::before_function;
}

template <class... Arguments>
constexpr refused refuse_submit() {
  say<why_no_call<why_submitted, Arguments...>()>();
  return {};
}

// The function f of then(), and the future that it follows.
template <class F, class T, class U>
class chained final : public state_of<U>, private family_root, private continuation {
 public:
  template <class G>
  chained(future<T>&& before, G&& f)
      : state_of<U>(&destroy, &alone_),
        family_root(&call, &alone_),
        continuation{&start},
        before_(std::move(before)),
        function_(std::forward<G>(f)) {}

  void begin() {
    if (!future_access::state(before_, "then").attach(*this)) start_root(nullptr, *this);
  }

 private:
  static void destroy(future_state& s) noexcept { delete static_cast<chained*>(&s); }
  // Called on a worker of the pool that made the result, where start_root doesn't throw.
  static void start(continuation& c) noexcept { start_root(nullptr, static_cast<chained&>(c)); }
  static void call(root& r) noexcept {
    auto& self = static_cast<chained&>(r);
    race::make_result(static_cast<future_state*>(&self), self, [](chained& c) { c.follow(); });
  }
  void follow() noexcept {
    race::joins(&future_access::state(before_, "then"));
    this->made_here();
    if (const std::exception_ptr& thrown = future_access::state(before_, "then").thrown()) {
      this->fail(thrown);
    } else {
      this->make([this]() -> U {
        if constexpr (std::is_void_v<T>)
          return std::move(*function_)();
        else
          return std::move(*function_)(before_.get());
      });
    }
    function_.reset();
    before_ = {};
    this->complete();
  }

  root_family alone_;
  future<T> before_;
  std::optional<F> function_;
};

// Gives a block to its two users: to the function that makes the result, by begin(), and to the
// future.
template <class Block, class Begin>
auto hand_out(std::unique_ptr<Block> block, place made, Begin&& begin) {
  Block& b = *block.release();
  note_made(static_cast<future_state*>(&b), made);
  auto result = future_access::make(b);
  try {
    begin(b);
  } catch (...) {
    b.leave();
    throw;
  }
  return result;
}

template <class F>
auto submit_to(pool_impl* pool, F&& f, place made, priority urgency = priority::normal)
    -> future<std::invoke_result_t<std::decay_t<F>>> {
  using block = submitted<std::decay_t<F>, std::invoke_result_t<std::decay_t<F>>>;
  return hand_out(std::make_unique<block>(std::forward<F>(f)), made, [pool, urgency](block& b) {
    b.urgency = urgency;
    start_root(pool, b);
  });
}

// The element for a future<T> in a tuple: monostate for void.
template <class T>
using element_of_all = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

template <class T>
element_of_all<T> take_element(future<T>& f) {
  if constexpr (std::is_void_v<T>) {
    f.get();
    return {};
  } else {
    return f.get();
  }
}

template <class... T, class F>
void each_input(std::tuple<future<T>...>& inputs, const F& f) {
  std::apply([&](future<T>&... one) { (f(one), ...); }, inputs);
}
template <class T, class F>
void each_input(std::vector<future<T>>& inputs, const F& f) {
  for (future<T>& one : inputs) f(one);
}

// The inputs of a block that waits for several futures. Block::one_is_ready(i) is called once for
// each input, by the thread that makes it ready.
template <class Block, class Inputs>
class awaited_inputs {
 protected:
  awaited_inputs(Inputs&& inputs, std::size_t n)
      : inputs_(std::move(inputs)), nodes_(std::make_unique<node[]>(n)), left_(n + 1) {}

  void attach_all(const char* member) {
    std::size_t i = 0;
    each_input(inputs_, [&](auto& input) {
      node& n = nodes_[i];
      n.resume = [](continuation& c) noexcept {
        auto& self = static_cast<node&>(c);
        self.block->one_is_ready(self.index);
      };
      n.block = static_cast<Block*>(this);
      n.index = i++;
      if (!future_access::state(input, member).attach(n)) n.block->one_is_ready(n.index);
    });
  }
  // Called once for each input that is ready, and once when all are attached; true for the last of
  // these calls. Release and acquire: the last one sees what each of the others did.
  bool count_off() noexcept { return left_.fetch_sub(1, std::memory_order_acq_rel) == 1; }

  Inputs inputs_;

 private:
  struct node : continuation {
    Block* block;
    std::size_t index;
  };

  std::unique_ptr<node[]> nodes_;
  std::atomic<std::size_t> left_;
};

// Collects the results of all inputs when the last one is ready.
template <class Inputs, class T>
class all_of final : public state_of<T>, private awaited_inputs<all_of<Inputs, T>, Inputs> {
  using awaited = awaited_inputs<all_of, Inputs>;
  friend awaited;

 public:
  using collector = T (*)(Inputs&);

  all_of(Inputs&& inputs, std::size_t n, collector collect)
      : state_of<T>(&destroy), awaited(std::move(inputs), n), collect_(collect) {}

  void begin() {
    this->attach_all("when_all");
    collect_if_last();
  }

 private:
  static void destroy(future_state& s) noexcept { delete static_cast<all_of*>(&s); }
  void one_is_ready(std::size_t) noexcept { collect_if_last(); }
  void collect_if_last() noexcept {
    if (!this->count_off()) return;
    race::make_result(static_cast<future_state*>(this), *this, [](all_of& a) { a.collect_all(); });
  }
  void collect_all() noexcept {
    if constexpr (HEIST_RACE)
      each_input(this->inputs_,
                 [](auto& input) { race::joins(&future_access::state(input, "when_all")); });
    this->make([this]() -> T { return collect_(this->inputs_); });
    this->complete();
  }

  collector collect_;
};

}  // namespace detail

template <class T>
inline detail::state_of<T>& future<T>::checked(const char* member) const {
  if (state_ == nullptr) [[unlikely]]
    detail::throw_no_result(member);
  return *state_;
}

template <class T>
template <class F>
requires(detail::why_not_followed<F, T>() == detail::refusal::none)
auto future<T>::then(F&& f, detail::place made) && -> future<then_result_t<std::decay_t<F>, T>> {
  checked("then");
  using block = detail::chained<std::decay_t<F>, T, then_result_t<std::decay_t<F>, T>>;
  return detail::hand_out(std::make_unique<block>(std::move(*this), std::forward<F>(f)), made,
                          [](block& b) { b.begin(); });
}

template <class T>
template <stop_condition Stop, class F>
requires(detail::why_not_followed<F, T>() == detail::refusal::none)
auto future<T>::then(Stop stop, F&& f, detail::place made) && {
  return std::move(*this).then(
      detail::unless_stopped<Stop, std::decay_t<F>>{std::move(stop), std::forward<F>(f)}, made);
}

template <class F>
requires detail::can_be_kept<F>
auto submit(F&& f, detail::place made) -> future<std::invoke_result_t<std::decay_t<F>>> {
  return detail::submit_to(nullptr, std::forward<F>(f), made);
}

template <stop_condition Stop, class F>
requires detail::can_be_kept<F>
auto submit(Stop stop, F&& f, detail::place made) -> future<std::invoke_result_t<std::decay_t<F>>> {
  return detail::submit_to(
      nullptr, detail::unless_stopped<Stop, std::decay_t<F>>{std::move(stop), std::forward<F>(f)},
      made);
}

template <class F>
requires detail::can_be_kept<F>
auto submit(priority urgency, F&& f, detail::place made)
    -> future<std::invoke_result_t<std::decay_t<F>>> {
  return detail::submit_to(nullptr, std::forward<F>(f), made, urgency);
}

template <stop_condition Stop, class F>
requires detail::can_be_kept<F>
auto submit(Stop stop, priority urgency, F&& f, detail::place made)
    -> future<std::invoke_result_t<std::decay_t<F>>> {
  return detail::submit_to(
      nullptr, detail::unless_stopped<Stop, std::decay_t<F>>{std::move(stop), std::forward<F>(f)},
      made, urgency);
}

template <class T>
template <class... Arguments>
requires(!detail::is_followed<T, Arguments...>)
detail::refused future<T>::then(Arguments&&...) && {
  detail::say<detail::why_no_call<detail::why_followed<T>, Arguments...>()>();
  return {};
}

template <class... Arguments>
requires(!detail::is_submitted<Arguments...>)
detail::refused submit(Arguments&&...) {
  return detail::refuse_submit<Arguments...>();
}

template <class... T>
requires(sizeof...(T) > 0)
auto when_all(future<T>... inputs)
    -> future<std::tuple<std::conditional_t<std::is_void_v<T>, std::monostate, T>...>> {
  (static_cast<void>(detail::future_access::state(inputs, "when_all")), ...);
  using all = std::tuple<future<T>...>;
  using result = std::tuple<detail::element_of_all<T>...>;
  using block = detail::all_of<all, result>;
  const auto collect = [](all& a) {
    // In braces, so that the elements are taken from left to right.
    return std::apply([](future<T>&... f) { return result{detail::take_element(f)...}; }, a);
  };
  return detail::hand_out(std::make_unique<block>(all(std::move(inputs)...), sizeof...(T), collect),
                          {}, [](block& b) { b.begin(); });
}

template <class T>
requires(!std::is_reference_v<T>)
auto when_all(std::vector<future<T>> inputs)
    -> future<std::conditional_t<std::is_void_v<T>, void, std::vector<T>>> {
  for (const future<T>& f : inputs) static_cast<void>(detail::future_access::state(f, "when_all"));
  using all = std::vector<future<T>>;
  using result =
      std::conditional_t<std::is_void_v<T>, void, std::vector<detail::element_of_all<T>>>;
  using block = detail::all_of<all, result>;
  const auto collect = [](all& a) -> result {
    if constexpr (std::is_void_v<T>) {
      for (future<T>& f : a) f.get();
    } else {
      result values;
      values.reserve(a.size());
      for (future<T>& f : a) values.push_back(f.get());
      return values;
    }
  };
  const std::size_t n = inputs.size();
  return detail::hand_out(std::make_unique<block>(std::move(inputs), n, collect), {},
                          [](block& b) { b.begin(); });
}

}  // namespace heist::inline v0
