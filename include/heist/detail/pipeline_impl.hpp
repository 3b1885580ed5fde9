// The machinery of <heist/pipeline.hpp>: the gates of the stages, and the fibers that carry items
// through them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "heist/detail/earliest_exception.hpp"
#include "heist/detail/export.hpp"
#include "heist/detail/job.hpp"
#include "heist/detail/measured.hpp"
#include "heist/detail/stopping.hpp"
#include "heist/detail/waiters.hpp"
#include "heist/fork_join.hpp"
#include "heist/pipeline.hpp"
#include "heist/sync/mutex.hpp"

namespace heist::inline v0::detail {

// The gate of a stage says how its items follow each other. This one lets numbers through one at a
// time, from 0 upwards.
class turnstile {
 public:
  HEIST_API void enter(std::uint64_t number) noexcept;
  HEIST_API void leave() noexcept;

 private:
  struct walker;

  short_lock guard_;
  std::uint64_t turn_ = 0;  // guarded by guard_, as is waiters_: whose turn it is
  waiter_list waiters_;
};

// Lets everybody through.
struct open_gate {
  void enter(std::uint64_t) noexcept {}
  void leave() noexcept {}
};
// Lets one through at a time, in any order.
struct locked_gate {
  void enter(std::uint64_t) noexcept {
    mutex_.lock();
    if (measures_work()) [[unlikely]]
      note_gate_entered(this);
  }
  void leave() noexcept {
    if (measures_work()) [[unlikely]]
      note_gate_left(this);
    mutex_.unlock();
  }
  mutex mutex_;
};

template <class Gate, class F>
struct pipeline_stage {
  F function;
};

// Why an item can't go through the stages.
template <class Item, class... Stages>
struct passage {
  static constexpr refusal why = refusal::stage_kind;
};
template <class Item>
struct passage<Item> {
  static constexpr refusal why = refusal::none;
};
template <class Item, class Gate, class F, class... Others>
struct passage<Item, pipeline_stage<Gate, F>, Others...> {
  static constexpr refusal look() {
    if constexpr (!std::is_invocable_v<F&, Item>) {
      return refusal::stage_input;
    } else {
      using result = std::remove_cvref_t<std::invoke_result_t<F&, Item>>;
      if constexpr (std::is_void_v<result>)
        return sizeof...(Others) == 0 ? refusal::none : refusal::stage_output;
      else if constexpr (!std::is_move_constructible_v<result>)
        return refusal::result_not_movable;
      else
        return passage<result, Others...>::why;
    }
  }
  static constexpr refusal why = look();
};
// A std::optional by value, or what converts to one and not to its value. (A std::any takes both.)
template <class Result>
concept gives_optional =
    std::is_object_v<Result> && requires { typename Result::value_type; } &&
    (std::is_same_v<std::remove_cv_t<Result>, std::optional<typename Result::value_type>> ||
     (std::is_convertible_v<Result, std::optional<typename Result::value_type>> &&
      !std::is_convertible_v<Result, typename Result::value_type>));

template <class Source, class... Stages>
consteval refusal why_no_pipeline() {
  if constexpr (!std::is_invocable_v<Source&>)
    return refusal::source;
  else if constexpr (!gives_optional<std::invoke_result_t<Source&>>)
    return refusal::source_result;
  else
    return passage<typename std::invoke_result_t<Source&>::value_type, Stages...>::why;
}

[[noreturn]] HEIST_API void throw_no_tokens();

template <class Source, class... Gate, class... F>
class pipeline_runner<Source, pipeline_stage<Gate, F>...> {
 public:
  explicit pipeline_runner(Source source, pipeline_stage<Gate, F>... stages)
      : source_(std::move(source)), functions_(std::move(stages.function)...) {}

  // On a worker.
  std::uint64_t run(const pipeline_options& options, stop_poll stop) {
    if (options.tokens == 0) throw_no_tokens();
    flow f{options, stop};
    if (measures_work()) [[unlikely]]
      begin_measured(f);
    carry_all(f, options.tokens);
    if (measures_work()) [[unlikely]]
      note_pipeline_ends(&f, f.begun < options.tokens ? f.begun + 1 : options.tokens);
    f.thrown.rethrow();
    return f.begun;
  }

 private:
  using item = typename std::invoke_result_t<Source&>::value_type;

  // One run.
  struct flow {
    const pipeline_options& options;
    stop_poll stop;
    mutex source_lock{};
    std::uint64_t begun = 0;  // guarded by source_lock, as is has_ended
    bool has_ended = false;
    std::atomic<bool> is_over{false};  // a hint that it has
    std::tuple<Gate...> gates{};
    earliest_exception thrown{};
  };

  static void begin_measured(flow& f) noexcept {
    note_pipeline_begins(&f);
    std::apply([](const Gate&... gate) { (note_gate_made(&gate), ...); }, f.gates);
  }

  // Forks once for each token, until everything is done: a fork that nobody steals finds it so.
  void carry_all(flow& f, std::size_t tokens) {
    if (f.is_over.load(std::memory_order_relaxed)) return;
    if (tokens == 1) return carry(f);
    fork_join([&] { carry_all(f, tokens / 2); }, [&] { carry_all(f, tokens - tokens / 2); });
  }

  void carry(flow& f) {
    for (;;) {
      std::uint64_t number = 0;
      std::optional<item> next = begin(f, number);
      if (!next) return;
      pass<0>(f, number, next);
      if (measures_work()) [[unlikely]]
        note_item_ends(&f, number, f.options.tokens);
    }
  }

  std::optional<item> begin(flow& f, std::uint64_t& number) {
    f.source_lock.lock();
    std::optional<item> next;
    number = f.begun;
    if (measures_work()) [[unlikely]]
      note_item_begins(&f, number, f.options.tokens);
    if (!f.has_ended && !f.thrown.any() && !f.options.stop.stop_requested() &&
        !f.stop.stop_requested()) {
      try {
        next = source_();
      } catch (...) {
        f.thrown.keep(number, std::current_exception());
      }
    }
    if (next) {
      ++f.begun;
    } else {
      f.has_ended = true;
      f.is_over.store(true, std::memory_order_relaxed);
    }
    if (measures_work()) [[unlikely]]
      note_item_given(&f);
    f.source_lock.unlock();
    return next;
  }

  // Runs stage I and those after it. It passes the gates also without an item, after an exception:
  // the others wait for its number at the later stages. Not inlined: g++ 12 would warn of values
  // that it takes for uninitialised.
  template <std::size_t I, class T>
  [[gnu::noinline]] void pass(flow& f, std::uint64_t number, std::optional<T>& in) {
    if constexpr (I < sizeof...(F)) {
      using result =
          std::remove_cvref_t<std::invoke_result_t<std::tuple_element_t<I, std::tuple<F...>>&, T>>;
      std::optional<stored_result<result>> out;
      auto& gate = std::get<I>(f.gates);
      gate.enter(number);
      if (in && !f.thrown.any()) {
        try {
          out.emplace(invoke_stored<result>(
              [&]() -> result { return std::get<I>(functions_)(std::move(*in)); }));
        } catch (...) {
          f.thrown.keep(number, std::current_exception());
        }
      }
      gate.leave();
      in.reset();
      pass<I + 1>(f, number, out);
    }
  }

  Source source_;
  std::tuple<F...> functions_;
};

}  // namespace heist::inline v0::detail

namespace heist::inline v0 {

template <class F>
auto in_parallel(F&& f) {
  return detail::pipeline_stage<detail::open_gate, std::decay_t<F>>{std::forward<F>(f)};
}

template <class F>
auto in_order(F&& f) {
  return detail::pipeline_stage<detail::turnstile, std::decay_t<F>>{std::forward<F>(f)};
}

template <class F>
auto out_of_order(F&& f) {
  return detail::pipeline_stage<detail::locked_gate, std::decay_t<F>>{std::forward<F>(f)};
}

}  // namespace heist::inline v0
