// A pipeline: items flow from a source through stages, several at once, in no more memory than the limit allows.
//
//     heist::make_pipeline([&]() -> std::optional<block> { return read(file); },   // nothing: the end
//                          heist::in_parallel([](block b) { return compress(b); }),
//                          heist::in_order([&](compressed c) { write(c); }))
//         .run(pool, {.tokens = 16});
//
// Each stage gets what the one before returns, moved. A token is a place for one item under way, and a fiber that
// carries it through all stages: an item stays in the caches of the worker that began it, and a fiber that has to wait
// for its turn is suspended, so no worker ever waits. McCool, Robison and Reinders, Structured Parallel
// Programming (2012), chapter 9, describe the pattern.
#pragma once

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
#include "heist/detail/root.hpp"
#include "heist/detail/stop_token.hpp"
#include "heist/detail/stopping.hpp"
#include "heist/detail/waiters.hpp"
#include "heist/fork_join.hpp"
#include "heist/pool.hpp"
#include "heist/sync/mutex.hpp"

namespace heist::inline v0 {

namespace detail {

// Lets numbers through one at a time, from 0 upwards.
class turnstile {
 public:
  HEIST_API void enter(std::uint64_t number) noexcept;
  HEIST_API void leave() noexcept;

 private:
  struct walker;

  short_lock guard_;
  std::uint64_t turn_ = 0;  // guarded by guard_, as is the next: whose turn it is
  waiter_list waiters_;
};

// How the items of a stage follow each other.
struct open_gate {
  void enter(std::uint64_t) noexcept {}
  void leave() noexcept {}
};
struct locked_gate {
  void enter(std::uint64_t) noexcept { mutex_.lock(); }
  void leave() noexcept { mutex_.unlock(); }
  mutex mutex_;
};

template <class Gate, class F>
struct pipeline_stage {
  F function;
};

[[noreturn]] HEIST_API void throw_no_tokens();

}  // namespace detail

// A stage that runs any number of items at once.
template <class F>
auto in_parallel(F&& f) {
  return detail::pipeline_stage<detail::open_gate, std::decay_t<F>>{std::forward<F>(f)};
}
// One item at a time, in the source's order.
template <class F>
auto in_order(F&& f) {
  return detail::pipeline_stage<detail::turnstile, std::decay_t<F>>{std::forward<F>(f)};
}
// One item at a time, in any order.
template <class F>
auto out_of_order(F&& f) {
  return detail::pipeline_stage<detail::locked_gate, std::decay_t<F>>{std::forward<F>(f)};
}

struct pipeline_options {
  std::size_t tokens = 16;    // items under way at once, at least 1
  std::stop_token stop = {};  // no new item is begun then, those under way pass through
};

// Made by make_pipeline. Can be run again, one run at a time, if source and stages can.
template <class Source, class... Stages>
class pipeline;

template <class Source, class... Gate, class... F>
class pipeline<Source, detail::pipeline_stage<Gate, F>...> {
 public:
  explicit pipeline(Source source, detail::pipeline_stage<Gate, F>... stages)
      : source_(std::move(source)), functions_(std::move(stages.function)...) {}

  // Returns when the source has ended, or a stop was requested, and all that it gave is through: how many items that
  // were. The source is asked by one at a time. If something throws, no function is called any more, what is under way
  // is destroyed, and the exception is thrown here: that of the earliest item among those that had one. Throws usage_error
  // for 0 tokens. An item costs a lock in the source and in each stage that isn't parallel; nothing is allocated.
  std::uint64_t run(pool& p, pipeline_options options = {}) {
    return p.run([&] { return run_here(options, {}); });
  }
  // The same in the caller's pool, or the default one.
  std::uint64_t run(pipeline_options options = {}) {
    return detail::run_in(nullptr, [&] { return run_here(options, {}); });
  }
  // Under a stop condition, such as a deadline: as with options.stop, and whichever comes first. It is asked before each
  // item, by one at a time.
  template <stop_condition S>
  std::uint64_t run(pool& p, const S& stop, pipeline_options options = {}) {
    return p.run([&] { return run_here(options, detail::stop_poll(stop)); });
  }
  template <stop_condition S>
  std::uint64_t run(const S& stop, pipeline_options options = {}) {
    return detail::run_in(nullptr, [&] { return run_here(options, detail::stop_poll(stop)); });
  }

 private:
  using item = typename std::invoke_result_t<Source&>::value_type;

  struct flow {
    const pipeline_options& options;
    detail::stop_poll stop;
    mutex source_lock{};
    std::uint64_t begun = 0;  // guarded by source_lock, as is the next
    bool has_ended = false;
    std::tuple<Gate...> gates{};
    detail::earliest_exception thrown{};
  };

  std::uint64_t run_here(const pipeline_options& options, detail::stop_poll stop) {
    if (options.tokens == 0) detail::throw_no_tokens();
    flow f{options, stop};
    carry_all(f, options.tokens);
    f.thrown.rethrow();
    return f.begun;
  }

  // A fork for each token; those that nobody takes find that all is done.
  void carry_all(flow& f, std::size_t tokens) {
    if (tokens == 1) return carry(f);
    fork_join([&] { carry_all(f, tokens / 2); }, [&] { carry_all(f, tokens - tokens / 2); });
  }

  void carry(flow& f) {
    for (;;) {
      std::uint64_t number = 0;
      std::optional<item> next = begin(f, number);
      if (!next) return;
      pass<0>(f, number, next);
    }
  }

  std::optional<item> begin(flow& f, std::uint64_t& number) {
    f.source_lock.lock();
    std::optional<item> next;
    number = f.begun;
    if (!f.has_ended && !f.thrown.any() && !f.options.stop.stop_requested() &&
        !f.stop.stop_requested()) {
      try {
        next = source_();
      } catch (...) {
        f.thrown.keep(number, std::current_exception());
      }
    }
    if (next)
      ++f.begun;
    else
      f.has_ended = true;
    f.source_lock.unlock();
    return next;
  }

  // Also without an item, after an exception: the others wait for its number at the stages to come. Not inlined: g++ 12
  // would warn of values that it takes for uninitialised.
  template <std::size_t I, class T>
  [[gnu::noinline]] void pass(flow& f, std::uint64_t number, std::optional<T>& in) {
    if constexpr (I < sizeof...(F)) {
      using result =
          std::remove_cvref_t<std::invoke_result_t<std::tuple_element_t<I, std::tuple<F...>>&, T>>;
      static_assert(!std::is_void_v<result> || I + 1 == sizeof...(F),
                    "only the last stage may return nothing");
      std::optional<detail::stored_result<result>> out;
      auto& gate = std::get<I>(f.gates);
      gate.enter(number);
      if (in && !f.thrown.any()) {
        try {
          out.emplace(detail::invoke_stored<result>(
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

// The source is called without arguments until it returns an empty std::optional; a stage with what came before it.
template <class Source, class... Stages>
auto make_pipeline(Source&& source, Stages&&... stages) {
  return pipeline<std::decay_t<Source>, std::decay_t<Stages>...>(std::forward<Source>(source),
                                                                 std::forward<Stages>(stages)...);
}

}  // namespace heist::inline v0
