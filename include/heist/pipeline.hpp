// A pipeline: items flow from a source through stages, several at once, in no more memory than the
// limit allows.
//
//     heist::make_pipeline([&]() -> std::optional<block> { return read(file); },  // until nothing
//                          heist::in_parallel([](block b) { return compress(b); }),
//                          heist::in_order([&](compressed c) { write(c); }))
//         .run(pool, {.tokens = 16});
//
// Each stage gets what the previous one returned, moved. A token is a place for one item under way.
// A fiber carries an item through all stages, so the item stays in the caches of the worker that
// began it. Where it has to wait for its turn the fiber is suspended, so that no worker ever waits;
// at a last stage in order nobody waits: the item is left for the one that has the turn. As many
// fibers carry items as pays: one where an item takes less than a microsecond or so, and no more
// than the source can serve. McCool, Robison and Reinders, Structured Parallel Programming (2012),
// chapter 9, describe the pattern.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "heist/detail/refusal.hpp"
#include "heist/detail/stop_token.hpp"
#include "heist/detail/stopping.hpp"
#include "heist/pool.hpp"

namespace heist::inline v0 {

namespace detail {
template <class Source, class... Stages>
class pipeline_runner;
template <class Source, class... Stages>
consteval refusal why_no_pipeline();
}  // namespace detail

// A stage that runs any number of items at once. The type of a stage is unspecified.
template <class F>
auto in_parallel(F&& f);
// A stage that runs one item at a time, in the source's order.
template <class F>
auto in_order(F&& f);
// A stage that runs one item at a time, in any order.
template <class F>
auto out_of_order(F&& f);

// Choices for one run of a pipeline.
struct pipeline_options {
  // Items under way at once, at least 1. A last stage in order has memory for as many of its items,
  // and for 65,536 at most.
  std::size_t tokens = 16;
  std::stop_token stop = {};  // after a request no new item is begun; those under way pass through
};

// Made by make_pipeline. Can be run again, one run at a time, if source and stages can.
template <class Source, class... Stages>
class pipeline {
 public:
  // See make_pipeline, which finds the types.
  explicit pipeline(Source source, Stages... stages)
      : runner_(std::move(source), std::move(stages)...) {}

  // Returns when the source has ended, or a stop was requested, and all its items have passed
  // through: how many items there were. The source is called by one fiber at a time. If a function
  // throws, none is called any more, the items under way are destroyed, and the exception is thrown
  // here: that of the earliest item among those that had one. Throws usage_error for 0 tokens. An
  // item costs a lock in the source and in each serial stage, or an exchange in a last one that is
  // in order, for which a run makes one allocation.
  std::uint64_t run(pool& p, pipeline_options options = {}) {
    return p.run([&] { return runner_.run(options, {}); });
  }
  // The same in the caller's pool, or in the default one.
  std::uint64_t run(pipeline_options options = {}) {
    return detail::run_in(nullptr, [&] { return runner_.run(options, {}); });
  }
  // Under a stop condition, such as a deadline: as with options.stop, and whichever comes first. It
  // is asked before each item, by one fiber at a time.
  template <stop_condition S>
  std::uint64_t run(pool& p, const S& stop, pipeline_options options = {}) {
    return p.run([&] { return runner_.run(options, detail::stop_poll(stop)); });
  }
  template <stop_condition S>
  std::uint64_t run(const S& stop, pipeline_options options = {}) {
    return detail::run_in(nullptr, [&] { return runner_.run(options, detail::stop_poll(stop)); });
  }

 private:
  detail::pipeline_runner<Source, Stages...> runner_;
};

// The source is called without arguments until it returns an empty std::optional; each stage is
// called with what the previous one returned.
template <class Source, class... Stages>
auto make_pipeline(Source&& source, Stages&&... stages) {
  constexpr detail::refusal why =
      detail::why_no_pipeline<std::decay_t<Source>, std::decay_t<Stages>...>();
  if constexpr (why != detail::refusal::none) {
    detail::say<why>();
    return detail::refused();
  } else {
    return pipeline<std::decay_t<Source>, std::decay_t<Stages>...>(std::forward<Source>(source),
                                                                   std::forward<Stages>(stages)...);
  }
}

}  // namespace heist::inline v0

#include "heist/detail/pipeline_impl.hpp"
