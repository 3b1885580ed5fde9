#include "lab/engines/timed_run.hpp"

#include <fmt/format.h>

#include <heist/error.hpp>

namespace heist::lab {

void check_settings(const timed_settings& settings) {
  if (settings.processors == 0 || settings.processors > max_timed_processors)
    throw usage_error(fmt::format("with costs P is from 1 to {}, not {}", max_timed_processors,
                                  settings.processors));
}

}  // namespace heist::lab
