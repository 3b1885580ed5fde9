// Kernels that are adversaries against yields (Arora, Blumofe, Plaxton 1998, section 4): measured
// time over T1/PA + Tinf P/PA, for each kernel and each yield policy.
//
// Against a benign kernel the theorems ask for no yield, against an oblivious one for a yield to a
// random process, against an adaptive one for a yield to all others. With less, a run may take many
// times the bound, or never end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/catalog/computation.hpp"
#include "lab/engines/kernel_run.hpp"
#include "lab/experiments/time_fit.hpp"
#include "report/statistics.hpp"

namespace heist::lab {

struct kernel_study_setup {
  std::uint64_t seeds = 10;
  std::uint64_t seed = 1;
  std::uint64_t patience = 20'000;  // steps without progress after which a run is given up
};

struct kernel_study_row {
  std::string kernel;  // as "benign:8"
  std::string knows;   // as "oblivious"
  yield_policy yield{};
  bool suffices = false;  // the theorem for such a kernel holds with this yield
  std::uint32_t processes = 1;
  std::uint64_t given_up = 0;             // runs; the rest of the row is about the others
  report::summary steps, average, ratio;  // T; PA; T over the bound
  std::vector<fitted_run> runs;           // T1/PA, Tinf P/PA, T

  [[nodiscard]] bool has_ended() const { return steps.count > 0; }
};

// Kernels that give about `given` of P processes a processor, as words for make_kernel().
// lower-bound has PA' = given, as near as its k allows. 1 <= given <= processes.
[[nodiscard]] std::vector<std::string> kernel_words(std::uint32_t processes, std::uint32_t given,
                                                    std::uint64_t span);

// Throws usage_error for an unknown kernel.
[[nodiscard]] kernel_study_row study_kernel(computation& program, const measures& measured,
                                            const kernel_study_setup& setup,
                                            const std::string& kernel, yield_policy yield,
                                            std::uint32_t processes);

// T = c1 T1/PA + cinf Tinf P/PA over all runs whose yield suffices. Nothing where fewer than two
// numbers of processes were measured: the two terms can't be told apart then.
[[nodiscard]] std::optional<time_fit> fit_kernel_study(const std::vector<kernel_study_row>& rows);

}  // namespace heist::lab
