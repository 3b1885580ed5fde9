// Results that come later.
//
//     heist::future<image> f = pool.submit([] { return load("a.png"); });
//     heist::future<image> small = std::move(f).then([](image i) { return shrink(i); });
//     show(small.get());
//
// A worker that waits suspends its fiber, and its thread does other work; a thread outside any pool sleeps.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "heist/detail/export.hpp"
#include "heist/detail/future_state.hpp"
#include "heist/detail/monostate.hpp"
#include "heist/detail/stopping.hpp"

namespace heist::inline v0 {

template <class T>
class future;

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

template <class F, class T>
struct then_result : std::invoke_result<F, T> {};
template <class F>
struct then_result<F, void> : std::invoke_result<F> {};

// Calls f unless the stop is requested before.
template <class Stop, class F>
struct unless_stopped {
  Stop stop;
  F function;

  template <class... Arguments>
  requires std::is_invocable_v<F, Arguments...> std::invoke_result_t<F, Arguments...>
  operator()(Arguments&&... arguments) && {
    if (stop.stop_requested()) throw_cancelled(0, 1);
    return std::move(function)(std::forward<Arguments>(arguments)...);
  }
};

template <class F>
auto submit_to(pool_impl* pool, F&& f) -> future<std::invoke_result_t<std::decay_t<F>>>;

}  // namespace detail

// The one result of a function that was submitted, or of what is built on such. Belongs to one owner at a time, and isn't
// for use by two threads at once. Destroying it waits for nothing and cancels nothing.
template <class T>
class [[nodiscard]] future {
 public:
  using value_type = T;

  future() noexcept = default;  // of nothing
  future(future&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  future& operator=(future&& other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~future() {
    if (state_ != nullptr) state_->leave();
  }

  // Whether there is a result to come or to take. All members below throw usage_error if there isn't.
  [[nodiscard]] bool valid() const noexcept { return state_ != nullptr; }

  [[nodiscard]] bool is_ready() const { return checked("is_ready").is_ready(); }

  // Returns when the result is there. Throws usage_error if the caller's own fiber is to make it.
  void wait() const { checked("wait").wait(); }

  // Whether the result is there after that time at most. Throw resource_error or std::bad_alloc if they have to wait and
  // can't.
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(std::chrono::duration<Rep, Period> time) const {
    return checked("wait_for").wait_until(detail::due_in(time));
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool wait_until(std::chrono::time_point<Clock, Duration> time) const {
    return checked("wait_until").wait_until(detail::due_at(time));
  }

  // Waits, and returns the result or throws the exception. Only once: then valid() is false.
  T get() {
    checked("get").wait();
    const future taken(std::move(*this));
    return taken.state_->take();
  }

  // The future of f(get()), or f() if T is void, called on a worker when the result is there; if an exception is, f isn't
  // called and the exception is passed on. This future ends to be valid. It is called in the pool that made the result;
  // if it is there already, in the caller's, or the default one. One allocation. Throws std::bad_alloc,
  // and what moving f or making the default pool throws; then f is not called, and the result is lost.
  template <class F>
  auto then(F&& f) && -> future<typename detail::then_result<std::decay_t<F>, T>::type>;
  // The same; f isn't called if a stop (a copy of it: std::stop_token, deadline) is requested by then: the exception is cancelled.
  template <stop_condition Stop, class F>
  auto then(Stop stop, F&& f) && {
    return std::move(*this).then(
        detail::unless_stopped<Stop, std::decay_t<F>>{std::move(stop), std::forward<F>(f)});
  }

 private:
  friend detail::future_access;
  explicit future(detail::state_of<T>& s) noexcept : state_(&s) {}

  detail::state_of<T>& checked(const char* member) const {
    if (state_ == nullptr) [[unlikely]]
      detail::throw_no_result(member);
    return *state_;
  }

  detail::state_of<T>* state_ = nullptr;
};

namespace detail {

// The function f of then(), with what it comes after.
template <class F, class T, class U>
class chained final : public state_of<U>, private root, private continuation {
 public:
  template <class G>
  chained(future<T>&& before, G&& f)
      : state_of<U>(&destroy),
        root(&call),
        continuation{&start},
        before_(std::move(before)),
        function_(std::forward<G>(f)) {
    is_awaited = false;
  }

  void begin() {
    if (!future_access::state(before_, "then").attach(*this)) start_root(nullptr, *this);
  }

 private:
  static void destroy(future_state& s) noexcept { delete static_cast<chained*>(&s); }
  // On a worker of the pool that made the result, where starting doesn't throw.
  static void start(continuation& c) noexcept { start_root(nullptr, static_cast<chained&>(c)); }
  static void call(root& r) noexcept {
    auto& self = static_cast<chained&>(r);
    self.made_here();
    if (const std::exception_ptr& thrown = future_access::state(self.before_, "then").thrown()) {
      self.fail(thrown);
    } else {
      self.make([&self]() -> U {
        if constexpr (std::is_void_v<T>)
          return std::move(*self.function_)();
        else
          return std::move(*self.function_)(self.before_.get());
      });
    }
    self.function_.reset();
    self.before_ = {};
    self.complete();
  }

  future<T> before_;
  std::optional<F> function_;
};

// Hands a block of two users over: to its maker, by begin(), and to the future.
template <class Block, class Begin>
auto hand_out(std::unique_ptr<Block> block, Begin&& begin) {
  Block& b = *block.release();
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
auto submit_to(pool_impl* pool, F&& f) -> future<std::invoke_result_t<std::decay_t<F>>> {
  using block = submitted<std::decay_t<F>, std::invoke_result_t<std::decay_t<F>>>;
  return hand_out(std::make_unique<block>(std::forward<F>(f)),
                  [pool](block& b) { start_root(pool, b); });
}

// Of a future<void> in a tuple.
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

// The inputs of a block that is made of several futures. Block::one_is_ready(i) is called once for each, by whoever makes
// it ready.
template <class Block, class Inputs>
class awaited_inputs {
 protected:
  awaited_inputs(Inputs&& inputs, std::size_t n)
      : inputs_(std::move(inputs)), nodes_(std::make_unique<node[]>(n)), left_(n + 1) {}

  void attach_all(const char* member) {
    std::size_t i = 0;
    each_input(inputs_, [&](auto& input) {
      node& n = nodes_[i];
      n.go_on = [](continuation& c) noexcept {
        auto& self = static_cast<node&>(c);
        self.block->one_is_ready(self.index);
      };
      n.block = static_cast<Block*>(this);
      n.index = i++;
      if (!future_access::state(input, member).attach(n)) n.block->one_is_ready(n.index);
    });
  }
  // Once for each input that is ready, and once when all are attached; true for the last of these. Release and acquire:
  // what each did, for the last one.
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
    this->make([this]() -> T { return collect_(this->inputs_); });
    this->complete();
  }

  collector collect_;
};

}  // namespace detail

template <class T>
template <class F>
auto future<T>::then(F&& f) && -> future<typename detail::then_result<std::decay_t<F>, T>::type> {
  checked("then");
  using block =
      detail::chained<std::decay_t<F>, T, typename detail::then_result<std::decay_t<F>, T>::type>;
  return detail::hand_out(std::make_unique<block>(std::move(*this), std::forward<F>(f)),
                          [](block& b) { b.begin(); });
}

// Hands std::decay_t<F>(f) to the caller's pool, or the default one: see pool::submit.
template <class F>
requires std::is_invocable_v<std::decay_t<F>>
auto submit(F&& f) -> future<std::invoke_result_t<std::decay_t<F>>> {
  return detail::submit_to(nullptr, std::forward<F>(f));
}

// The same; f isn't called if a stop (a copy of it: std::stop_token, deadline) is requested before it begins: the
// exception is cancelled then.
template <stop_condition Stop, class F>
requires std::is_invocable_v<std::decay_t<F>>
auto submit(Stop stop, F&& f) -> future<std::invoke_result_t<std::decay_t<F>>> {
  return detail::submit_to(
      nullptr, detail::unless_stopped<Stop, std::decay_t<F>>{std::move(stop), std::forward<F>(f)});
}

// The future of all results in order, std::monostate for a void one. Ready when all are; if some threw, it has the
// exception of the first of these in the order of the arguments. Two allocations. Throws usage_error if one of them is
// not valid.
template <class... T>
requires(sizeof...(T) > 0) auto when_all(future<T>... inputs)
    -> future<std::tuple<detail::element_of_all<T>...>> {
  (static_cast<void>(detail::future_access::state(inputs, "when_all")), ...);
  using all = std::tuple<future<T>...>;
  using result = std::tuple<detail::element_of_all<T>...>;
  using block = detail::all_of<all, result>;
  const auto collect = [](all& a) {
    // In braces: from left to right.
    return std::apply([](future<T>&... f) { return result{detail::take_element(f)...}; }, a);
  };
  return detail::hand_out(std::make_unique<block>(all(std::move(inputs)...), sizeof...(T), collect),
                          [](block& b) { b.begin(); });
}

// The same for a number of them that is known at run time; nothing instead of a vector for void.
template <class T>
requires(!std::is_reference_v<T>) auto when_all(std::vector<future<T>> inputs)
    -> future<std::conditional_t<std::is_void_v<T>, void, std::vector<detail::element_of_all<T>>>> {
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
  return detail::hand_out(std::make_unique<block>(std::move(inputs), n, collect),
                          [](block& b) { b.begin(); });
}

}  // namespace heist::inline v0
