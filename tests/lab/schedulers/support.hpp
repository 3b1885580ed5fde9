// Shorthands for runs.
#pragma once

#include <cstdint>
#include <string_view>

#include "lab/catalog/computation.hpp"
#include "lab/catalog/kernels.hpp"
#include "lab/catalog/schedulers.hpp"
#include "lab/model/random.hpp"

namespace heist::lab {

inline run_settings settings_of(scheduler_kind scheduler, std::uint32_t processors,
                                engine_kind engine = engine_kind::best, std::uint64_t seed = 1) {
  run_settings settings;
  settings.scheduler = scheduler;
  settings.processors = processors;
  settings.engine = engine;
  settings.seed = seed;
  return settings;
}

inline run_result run(std::string_view computation, const run_settings& settings) {
  return make_computation(computation)->run(settings);
}

}  // namespace heist::lab
