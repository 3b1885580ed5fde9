// What a runtime's operations cost on some machine. The lab measures nothing: the costs come from a
// file, which `heist lab calibrate` writes and anybody may. docs/lab.md and docs/costs.schema.json
// describe it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heist::lab {

struct cost_model {
  // The costs between two processors whose number / `processors` is the same, unless they are
  // nearer still.
  struct distance {
    std::uint32_t processors = 0;
    double steal_ns = 0;
    double failed_attempt_ns = 1;
  };

  double instruction_ns = 1;  // a unit of work
  double fork_ns = 0;         // a fork and its join that nobody steals
  double steal_ns = 0;  // from a request until the thief runs its loot; the victim forks often
  double failed_attempt_ns = 1;  // from one request to the next
  double quiet_steal_ns = 0;     // as steal_ns, while the victim executes a long instruction
  double suspend_ns = 0;         // a join whose other half runs elsewhere; as much again to resume
  double wake_ns = 0;            // from a push until a thief that slept runs the pushed thread
  double waking_ns = 0;          // what the wake-up costs the processor that pushes
  std::optional<double>
      awake_ns;            // how long a worker looks for work before it sleeps; none: for ever
  double busy_factor = 1;  // how much longer an instruction takes while other processors work too
  // Nearest first; none: steal_ns and failed_attempt_ns hold for all.
  std::vector<distance> distances;
  // What says that the costs were measured beside other programs, a line each.
  std::vector<std::string> doubts;

  static constexpr double max_ns = 1e9;
};

// Which one counts of the values that were measured of a cost.
struct measured_figure {
  const char* name;  // in a file with costs
  double quantile;
};
inline constexpr measured_figure median_cost{"median", 0.5};
inline constexpr measured_figure lower_quartile{"lower_quartile", 0.25};
inline constexpr measured_figure upper_quartile{"upper_quartile", 0.75};

inline constexpr std::size_t max_cost_file = std::size_t{1} << 20U;  // bytes

// Where a cost is a number, or has no quartiles, it is the same for each figure.
// Throw usage_error: one line that begins with the file's name, and names the place or the field.
[[nodiscard]] cost_model costs_from_json(std::string_view text, std::string_view file,
                                         const measured_figure& figure = median_cost);
// Throws resource_error too, where the file can't be read.
[[nodiscard]] cost_model costs_from_file(const std::string& path,
                                         const measured_figure& figure = median_cost);

}  // namespace heist::lab
