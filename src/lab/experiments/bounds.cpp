#include "lab/experiments/bounds.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "report/markup.hpp"

namespace heist::lab {

bounds bounds_of(const measures& measured, std::uint64_t processors) {
  const auto p = static_cast<double>(processors);
  const auto work = static_cast<double>(measured.work);
  const auto span = static_cast<double>(measured.span);
  bounds result;
  result.processors = processors;
  result.least_time = std::max(work / p, span);
  result.greedy_time = work / p + span;
  result.most_speedup = work / result.least_time;
  result.sure_speedup = work / result.greedy_time;
  result.space = static_cast<double>(measured.stack_depth) * p;
  result.communication = p * span * (1 + static_cast<double>(measured.most_joins)) *
                         static_cast<double>(measured.largest_frame);
  return result;
}

std::vector<std::string> bounds_columns() {
  return {"P",    "T at least",        "T greedy at most", "speedup at most", "greedy at least",
          "S1 P", "P Tinf (1+nd) Smax"};
}

std::vector<std::string> bounds_cells(const bounds& row) {
  return {fmt::to_string(row.processors),   report::figure(row.least_time),
          report::figure(row.greedy_time),  report::figure(row.most_speedup),
          report::figure(row.sure_speedup), report::figure(row.space),
          report::figure(row.communication)};
}

std::string bounds_json(const bounds& row) {
  return fmt::format(
      "{{\"P\": {}, \"time_at_least\": {}, \"greedy_time_at_most\": {}, \"speedup_at_most\": {}, "
      "\"greedy_speedup_at_least\": {}, \"space\": {}, \"communication\": {}}}",
      row.processors, report::json_number(row.least_time), report::json_number(row.greedy_time),
      report::json_number(row.most_speedup), report::json_number(row.sure_speedup),
      report::json_number(row.space), report::json_number(row.communication));
}

report::chart speedup_bounds_chart(const std::string& title, const std::vector<bounds>& rows) {
  report::chart result;
  result.title = title;
  result.x = {"P", report::axis_scale::log2};
  result.y = {"T1 / TP", report::axis_scale::log2};
  report::series most{"at most min(P, T1/Tinf)", report::series_style::bound};
  report::series sure{"greedy: at least T1/(T1/P + Tinf)", report::series_style::line};
  for (const auto& row : rows) {
    const auto p = static_cast<double>(row.processors);
    most.points.push_back({p, row.most_speedup});
    sure.points.push_back({p, row.sure_speedup});
  }
  result.all = {std::move(sure), std::move(most)};
  return result;
}

}  // namespace heist::lab
