// asio_context: lets asio run completion handlers in a pool. Needs asio (1.22 or newer, without
// Boost).
//
//     heist::pool pool;
//     heist::asio_context context(pool);
//     asio::post(context.get_executor(), [] { ... });
//     asio::steady_timer timer(context.get_executor(), std::chrono::seconds(1));
//     timer.async_wait([](std::error_code) { ... });                 // called on a worker
//     asio::strand<heist::asio_context::executor_type> one_at_a_time(context.get_executor());
//     context.join();
//
// Handlers run on fibers: they may fork, and wait for heist's futures, locks and channels, while
// their worker does something else. Timers and sockets wait in a thread of asio, which begins with
// the first of them. A program's own io_context works as well, with handlers bound to the pool by
// asio::bind_executor.
#pragma once

#include <asio/execution.hpp>
#include <asio/execution_context.hpp>

#include "heist/basic_asio_context.hpp"

namespace heist::inline v0 {

// What basic_asio_context takes of this asio: its base class, and the properties that an executor
// answers.
struct asio_names {
  using execution_context = asio::execution_context;  // the base class
  using context_t = asio::execution::context_t;       // the context of an executor
  using occupancy_t = asio::execution::occupancy_t;   // how many functions it runs at once
  using blocking_t = asio::execution::blocking_t;     // whether posting waits for the function
  // Whether join() waits for the executor.
  using outstanding_work_t = asio::execution::outstanding_work_t;
};

// Its members are declared, with what they promise, in <heist/basic_asio_context.hpp>.
using asio_context = basic_asio_context<asio_names>;

}  // namespace heist::inline v0
