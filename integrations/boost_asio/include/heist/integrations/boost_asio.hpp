// boost_asio_context: lets Boost.Asio run completion handlers in a pool, as <heist/asio.hpp> does
// for asio without Boost. (One source can't include both: the two copies of asio define some names
// outside of their namespaces, each in its own way.)
//
//     heist::integrations::boost_asio_context context(pool);
//     boost::asio::post(context.get_executor(), [] { ... });
//     boost::asio::steady_timer timer(context.get_executor(), std::chrono::seconds(1));
//     timer.async_wait([](boost::system::error_code) { ... });  // called on a worker
//     context.join();
//
// A program's own io_context works as well, with handlers bound to the pool by
// boost::asio::bind_executor. Needs Boost 1.74 or newer, its headers only.
#pragma once

#include <boost/asio/execution.hpp>
#include <boost/asio/execution_context.hpp>

#include "heist/basic_asio_context.hpp"

namespace heist::inline v0::integrations {

struct boost_asio_names {
  using execution_context = boost::asio::execution_context;
  using context_t = boost::asio::execution::context_t;
  using occupancy_t = boost::asio::execution::occupancy_t;
  using blocking_t = boost::asio::execution::blocking_t;
  using outstanding_work_t = boost::asio::execution::outstanding_work_t;
};

// Its members are declared, with what they promise, in <heist/basic_asio_context.hpp>.
using boost_asio_context = basic_asio_context<boost_asio_names>;

}  // namespace heist::inline v0::integrations
