// The machinery of <heist/pipeline.hpp>: the gates of the stages, and the fibers that carry items
// through them.
//
// Where the last stage is in order, an item that comes before its turn is laid down there
// (ordered_end.hpp). Before a serial stage in the middle, whose items have to go on, fibers wait.
//
// A run always goes on: a carrier waits in the crew only if another one is active, that is, doesn't
// wait there, or if there is no room; and then the item whose turn it is has an active carrier,
// since no item is left lying at its turn.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "heist/detail/earliest_exception.hpp"
#include "heist/detail/export.hpp"
#include "heist/detail/job.hpp"
#include "heist/detail/measured.hpp"
#include "heist/detail/ordered_end.hpp"
#include "heist/detail/stopping.hpp"
#include "heist/detail/waiters.hpp"
#include "heist/fork_join.hpp"
#include "heist/pipeline.hpp"
#include "heist/sync/condition_variable.hpp"
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

// Those who carry the items of one run, and the lock of its source. There is a carrier for each
// token, and those that aren't wanted wait in here: where items are small, or the source takes most
// of their time, more carriers would only take locks and cache lines from each other. Of those that
// wait one looks from time to time whether the others have begun an item since; if not, they are
// all held up in long ones, or wait for something, and it becomes active.
class pipeline_crew {
 public:
  struct carrier {
    std::uint64_t since = 0;  // in ticks(): when its item was begun; 0: that isn't timed
    bool is_active = false;
  };

  static constexpr std::uint64_t no_limit = ~std::uint64_t{0};

  // At most so many items at once between the source and `ended`.
  HEIST_API explicit pipeline_crew(std::uint64_t limit) noexcept;

  // Returns when the carrier may call the source, with the source locked; or when the run has
  // ended, with false and the source free.
  HEIST_API bool enter(carrier& c);
  // Whether it may become active: as enter(), but the source is free.
  bool admit(carrier& c) {
    if (!enter(c)) return false;
    c.since = 0;
    source_.unlock();
    return true;
  }
  // Between enter() and leave(): how many items were begun before.
  [[nodiscard]] std::uint64_t begun() const noexcept { return begun_; }
  // The source has given an item, or has ended; the lock is given back.
  HEIST_API void leave(carrier& c, bool has_item) noexcept;

  // A hint that the run has ended: a fork that nobody has stolen need not look.
  [[nodiscard]] bool has_ended() const noexcept {
    return has_ended_.load(std::memory_order_relaxed);
  }
  std::atomic<std::uint64_t>& ended() noexcept { return ended_; }

 private:
  [[nodiscard]] bool has_room() const noexcept;
  [[nodiscard]] bool is_half_empty() const noexcept;
  [[nodiscard]] bool pays(std::uint64_t carriers) const noexcept;
  [[nodiscard]] bool wants(const carrier& c, std::uint64_t others) const noexcept;
  void wait_until_wanted(carrier& c);
  void note_item(std::uint64_t ticks_taken) noexcept;

  const std::uint64_t limit_;
  const bool is_timed_;  // on one worker nobody comes while no carrier is held up
  mutex source_;
  // Written with the source locked, as is everything down to ended_.
  std::atomic<bool> has_ended_{false};
  std::uint64_t active_ = 0;
  std::uint64_t begun_ = 0;
  std::uint64_t waiting_ = 0;
  bool is_watched_ = false;        // one of those that wait has a time limit
  bool is_called_ = false;         // one of them was notified, and hasn't come yet
  const carrier* last_ = nullptr;  // who has begun the last item
  // Of the last items that were timed: their number and ticks, and the ticks that the source takes
  // for one. At first they are taken for long.
  std::uint64_t items_;
  std::uint64_t spent_;
  std::uint64_t source_takes_ = 0;
  condition_variable wake_;

  alignas(64) std::atomic<std::uint64_t> ended_{0};  // also whose turn it is at an ordered end
};

// The end of a pipeline whose last stage is in order, and takes a T. It has a slot for each item
// that may be under way.
template <class T>
class last_in_order : public ordered_end<std::optional<T>> {
 public:
  static std::uint64_t limit(std::uint64_t tokens) noexcept {
    return std::min<std::uint64_t>(tokens, std::uint64_t{1} << 16);
  }

  last_in_order(std::uint64_t tokens, std::atomic<std::uint64_t>& turn)
      : last_in_order(std::vector<slot>(std::bit_ceil(limit(tokens))), turn) {}

 private:
  using typename ordered_end<std::optional<T>>::slot;

  last_in_order(std::vector<slot>&& slots, std::atomic<std::uint64_t>& turn) noexcept
      : ordered_end<std::optional<T>>(slots.data(), slots.size(), turn), slots_(std::move(slots)) {}

  const std::vector<slot> slots_;
};
// The end of any other pipeline: nothing is laid down.
struct open_end {
  static std::uint64_t limit(std::uint64_t) noexcept { return pipeline_crew::no_limit; }
  open_end(std::uint64_t, std::atomic<std::uint64_t>&) noexcept {}
};

// The end of a pipeline of these stages.
template <class Item, class... Stages>
struct pipeline_end {
  using type = open_end;
};
template <class Item, class F>
struct pipeline_end<Item, pipeline_stage<turnstile, F>> {
  using type = last_in_order<Item>;
};
template <class Item, class Gate, class F, class Next, class... Others>
struct pipeline_end<Item, pipeline_stage<Gate, F>, Next, Others...>
    : pipeline_end<std::remove_cvref_t<std::invoke_result_t<F&, Item>>, Next, Others...> {};

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
#if HEIST_RACE
    return run_as_branches(options, stop);
#endif
    flow f(options, stop);
    if (measures_work()) [[unlikely]]
      begin_measured(f);
    pipeline_crew::carrier first;
    if (f.carriers.admit(first)) carry_all(f, first, options.tokens);
    const std::uint64_t begun = f.carriers.begun();
    if (measures_work()) [[unlikely]]
      note_pipeline_ends(&f, begun < options.tokens ? begun + 1 : options.tokens);
    f.thrown.rethrow();
    return begun;
  }

 private:
  using item = typename std::invoke_result_t<Source&>::value_type;
  using end_type = typename pipeline_end<item, pipeline_stage<Gate, F>...>::type;
  static constexpr bool lays_items_down = !std::is_same_v<end_type, open_end>;

  // One run.
  struct flow {
    flow(const pipeline_options& o, const stop_poll& s)
        : options(o),
          stop(s),
          carriers(is_measured ? pipeline_crew::no_limit : end_type::limit(o.tokens)),
          end(o.tokens, carriers.ended()) {}

    const pipeline_options& options;
    stop_poll stop;
    const bool is_measured = measures_work();  // then items follow each other at gates only
    pipeline_crew carriers;
    std::tuple<Gate...> gates{};
    end_type end;
    earliest_exception thrown{};
  };

  static void begin_measured(flow& f) noexcept {
    note_pipeline_begins(&f);
    std::apply([](const Gate&... gate) { (note_gate_made(&gate), ...); }, f.gates);
  }

  // Forks once for each token, until everything is done: a fork that nobody steals finds it so.
  void carry_all(flow& f, pipeline_crew::carrier& me, std::size_t tokens) {
    if (tokens == 1) return carry(f, me);
    fork_join([&] { carry_all(f, me, tokens / 2); },
              [&] {
                if (f.carriers.has_ended()) return;
                pipeline_crew::carrier other;
                if (f.carriers.admit(other)) carry_all(f, other, tokens - tokens / 2);
              });
  }

  void carry(flow& f, pipeline_crew::carrier& me) {
    for (;;) {
      std::uint64_t number = 0;
      std::optional<item> next = begin(f, me, number);
      if (!next) return;
      pass<0>(f, number, next);
      if (measures_work()) [[unlikely]]
        note_item_ends(&f, number, f.options.tokens);
    }
  }

  std::optional<item> begin(flow& f, pipeline_crew::carrier& me, std::uint64_t& number) {
    if (!f.carriers.enter(me)) return std::nullopt;
    number = f.carriers.begun();
    if (measures_work()) [[unlikely]]
      note_item_begins(&f, number, f.options.tokens);
    std::optional<item> next = ask_source(f, number);
    if (measures_work()) [[unlikely]]
      note_item_given(&f);
    f.carriers.leave(me, next.has_value());
    return next;
  }

  std::optional<item> ask_source(flow& f, std::uint64_t number) {
    if (f.thrown.any() || f.options.stop.stop_requested() || f.stop.stop_requested())
      return std::nullopt;
    try {
      return source_();
    } catch (...) {
      f.thrown.keep(number, std::current_exception());
      return std::nullopt;
    }
  }

  // Runs stage I and those after it. It passes the gates also without an item, after an exception:
  // the others wait for its number at the later stages. Not inlined: g++ 12 would warn of values
  // that it takes for uninitialised.
  template <std::size_t I, class T>
  [[gnu::noinline]] void pass(flow& f, std::uint64_t number, std::optional<T>& in) {
    if constexpr (I < sizeof...(F)) {
      if constexpr (I + 1 == sizeof...(F) && lays_items_down)
        if (!f.is_measured) return pass_end(f, number, in);
      auto& gate = std::get<I>(f.gates);
      gate.enter(number);
      auto out = call<I>(f, number, in);
      gate.leave();
      in.reset();
      pass<I + 1>(f, number, out);
    }
  }

  // Runs the last stage for the item and those that lie ready behind it, if it is its turn.
  template <class T>
  void pass_end(flow& f, std::uint64_t number, std::optional<T>& in) {
    constexpr std::size_t last = sizeof...(F) - 1;
    if (f.end.has_turn(number)) {
      call<last>(f, number, in);
    } else {
      std::optional<T>& laid = f.end[number];
      try {
        if (in) laid.emplace(std::move(*in));
      } catch (...) {
        f.thrown.keep(number, std::current_exception());
      }
      in.reset();
      if (!f.end.lay_down(number)) return;
      call<last>(f, number, laid);
      laid.reset();
    }
    while (f.end.go_on_to(++number)) {
      std::optional<T>& laid = f.end[number];
      call<last>(f, number, laid);
      laid.reset();
    }
  }

  // What stage I makes of the item; nothing if there is none or an exception was thrown.
  template <std::size_t I, class T>
  auto call(flow& f, std::uint64_t number, std::optional<T>& in) {
    using result =
        std::remove_cvref_t<std::invoke_result_t<std::tuple_element_t<I, std::tuple<F...>>&, T>>;
    std::optional<stored_result<result>> out;
    if (!in || f.thrown.any()) return out;
    try {
      out.emplace(invoke_stored<result>(
          [&]() -> result { return std::get<I>(functions_)(std::move(*in)); }));
    } catch (...) {
      f.thrown.keep(number, std::current_exception());
    }
    return out;
  }

#if HEIST_RACE
  // For the race detector: one item after another, and each passage through a stage is a branch.
  // What lies between two stages isn't the program's memory.
  struct checked_run {
    std::uint64_t number = 0;  // of the item
    const void* from;
    std::uint64_t locks[sizeof...(F)];
  };

  std::uint64_t run_as_branches(const pipeline_options& options, const stop_poll& stop) {
    constexpr bool in_order[] = {true, std::is_same_v<Gate, turnstile>...};
    heist_v0_race_pipeline(this, in_order, 1 + sizeof...(F), options.tokens);
    const race::joined_at_end all(this);
    const race::unseen library;
    for (checked_run run{0, race::here(), {}};; ++run.number) {
      if (options.stop.stop_requested() || stop.stop_requested()) return run.number;
      std::optional<item> next;
      race::run_stage(this, 0, run.number, run.from, next, [&] { next = source_(); });
      if (!next) return run.number;
      pass_branches<0>(run, next);
    }
  }
  template <std::size_t I, class T>
  void pass_branches(checked_run& run, std::optional<T>& in) {
    if constexpr (I < sizeof...(F)) {
      using function = std::tuple_element_t<I, std::tuple<F...>>;
      using result = std::remove_cvref_t<std::invoke_result_t<function&, T>>;
      constexpr bool is_alone =
          std::is_same_v<std::tuple_element_t<I, std::tuple<Gate...>>, locked_gate>;
      std::optional<stored_result<result>> out;
      race::run_stage(this, I + 1, run.number, run.from, out, [&] {
        if constexpr (is_alone) race::takes(&run.locks[I]);
        out.emplace(invoke_stored<result>(
            [&]() -> result { return std::get<I>(functions_)(std::move(*in)); }));
        in.reset();
        if constexpr (is_alone) race::drops(&run.locks[I]);
      });
      pass_branches<I + 1>(run, out);
    }
  }
#endif

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
