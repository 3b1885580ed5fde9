// The full-screen view of heist top.
#pragma once

#include "cli/top/top_process.hpp"

namespace heist::cli {

// Why the view ended: the user has left it unless one of these says else.
struct screen_end {
  bool has_ended = false;  // the process that was looked at
  int signal = 0;          // that ended the view
};

// Shows the process's pools and workers until a key (q) or a signal ends that. The terminal is as
// it was before afterwards, also when it throws: resource_error if the terminal is of an unknown
// kind.
[[nodiscard]] screen_end show_on_screen(monitored_process& process, double interval);

}  // namespace heist::cli
