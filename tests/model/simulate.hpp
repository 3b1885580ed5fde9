// Runs a Relacy suite and returns how it ended.
#pragma once

#include "tests/model/relacy.hpp"

#include "tests/model/model.hpp"

namespace heist_model {

template <class Suite>
outcome simulate(const plan& p) {
  rl::ostringstream out;
  rl::test_params params;
  params.output_stream = &out;
  params.progress_stream = &out;
  params.search_type = p.how == search::exhaustive ? rl::sched_full
                       : p.how == search::random   ? rl::sched_random
                                                   : rl::sched_bound;
  params.context_bound = p.switches;
  params.iteration_count = p.schedules;
  rl::simulate<Suite>(params);
  return {params.test_result == rl::test_result_success, rl::test_result_str(params.test_result),
          params.stop_iteration, out.str().c_str()};
}

}  // namespace heist_model
