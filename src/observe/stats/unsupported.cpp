// What this system has no means for: asked for by a variable, it refuses instead of doing nothing.
#include <string>
#include <string_view>

#include "heist/error.hpp"
#include "observe/stats/monitor.hpp"
#include "observe/stats/stats_signal.hpp"
#include "platform/process.hpp"
#include "runtime/core/environment.hpp"

namespace heist::inline v0::detail {

void publish_for_monitors() {
  if (monitor_from_environment())
    throw usage_error("HEIST_MONITOR=1: heist top isn't there on this system");
}

std::vector<pid_t> published_processes() { return {}; }

void watch_for_stats_signal() {
  const char* const value = platform::environment_variable("HEIST_STATS_SIGNAL");
  if (value == nullptr || std::string_view(value).empty()) return;
  throw usage_error("HEIST_STATS_SIGNAL=" + std::string(value) +
                    ": not on this system; HEIST_STATS=1 prints at the end");
}

}  // namespace heist::inline v0::detail
