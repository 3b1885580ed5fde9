// Declares each column of `heist sim` once; the four formats show some of them.
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/sim/sim.hpp"
#include "lab/catalog/schedulers.hpp"

namespace heist::cli {

namespace {

using report::value;

// The access model that requests followed; empty without requests.
value access_of(const lab::run_settings& settings) {
  if (!has_chance(settings)) return {};
  return std::string(settings.stealing.access == lab::access_model::queue ? "queue" : "reject");
}

using column = report::column<sim_row>;

// The columns whose value is the same in each row.
std::vector<column> facts(const step_request& request, const lab::measures& of) {
  using row = sim_row;
  return {
      {"dag", "", [&](const row&) { return value(request.dag); }},
      {"scheduler", "",
       [&](const row&) { return value(std::string(to_string(request.settings.scheduler))); }},
      {"access", "", [&](const row&) { return access_of(request.settings); }},
      {"first_seed", "", [&](const row&) { return value(request.first_seed); }},
      {"work", "", [&](const row&) { return value(std::uint64_t{of.work}); }},
      {"span", "", [&](const row&) { return value(std::uint64_t{of.span}); }},
      {"stack_depth", "", [&](const row&) { return value(std::uint64_t{of.stack_depth}); }},
      {"most_joins", "", [&](const row&) { return value(std::uint64_t{of.most_joins}); }},
      {"largest_frame", "", [&](const row&) { return value(std::uint64_t{of.largest_frame}); }},
      {"threads", "", [&](const row&) { return value(std::uint64_t{of.threads}); }},
  };
}

}  // namespace

report::columns<sim_row> sim_columns(const step_request& request, const lab::measures& of) {
  using row = sim_row;
  auto all = facts(request, of);
  const std::vector<column> figures = {
      {"processors", "P", [](const row& r) { return value(std::uint64_t{r.processors}); }, 8},
      {"seeds", "runs", [](const row& r) { return value(std::uint64_t{r.steps.count}); }},
      {"steps", "T", [](const row& r) { return value(r.steps); }, 14},
      {"steps_low_95", "",
       [](const row& r) { return end_of_interval(r.steps, &report::interval::low); }},
      {"steps_high_95", "",
       [](const row& r) { return end_of_interval(r.steps, &report::interval::high); }},
      {"error", "+-95%", [](const row& r) { return value(relative_error(r.steps)); }, 9},
      {"speedup", "T1/T", [&](const row& r) { return value(r.speedup(of)); }, 10, {.digits = 2}},
      {"bound",
       "T1/P + Tinf",
       [&](const row& r) { return value(r.bound(of)); },
       0,
       {},
       "greedy_bound"},
      {"to_bound",
       "T/bound",
       [&](const row& r) { return value(r.steps.mean / r.bound(of)); },
       9,
       {.digits = 3}},
      {"steals", "steals", [](const row& r) { return value(r.steals); }, 13},
      {"stolen",
       "threads stolen",
       [](const row& r) { return value(r.threads_stolen); },
       0,
       {},
       "stolen_threads"},
      {"steal_dollars", "attempts", [](const row& r) { return value(r.attempts); }, 14},
      {"attempts_bound", "P Tinf",
       [&](const row& r) { return value(static_cast<double>(of.span) * r.processors); }},
      {"wait_dollars", "WAIT", [](const row& r) { return value(r.wait); }, 13},
      {"communication", "communication",
       [&](const row& r) {
         return has_chance(request.settings) ? value(r.communication) : value();
       }},
      {"idle_dollars", "idle", [](const row& r) { return value(r.idle); }},
      {"resumed",
       "resumed",
       [](const row& r) { return value(r.resumed); },
       0,
       {},
       "resumed_threads"},
      {"space", "", [](const row& r) { return value(r.space); }},
      {"peak_queue", "longest queue", [](const row& r) { return value(r.peak_queue); }},
  };
  all.insert(all.end(), figures.begin(), figures.end());
  const auto space = space_columns<row>(of);
  all.insert(all.end(), space.begin(), space.end());
  return report::columns<row>(std::move(all));
}

row_views sim_views() {
  return {
      .text = {"processors", "steps", "error", "speedup", "to_bound", "steals", "steal_dollars",
               "wait_dollars", "peak_space", "space_share"},
      .csv = {"processors", "seeds", "steps", "steps_low_95", "steps_high_95", "speedup", "bound",
              "steal_dollars", "wait_dollars", "idle_dollars", "steals", "stolen", "resumed",
              "peak_space", "space_bound", "peak_queue", "access", "space", "communication"},
      .json = {"dag",           "scheduler",     "access",       "processors",  "seeds",
               "first_seed",    "work",          "span",         "stack_depth", "most_joins",
               "largest_frame", "threads",       "steps",        "speedup",     "bound",
               "steal_dollars", "wait_dollars",  "idle_dollars", "steals",      "stolen",
               "resumed",       "communication", "space",        "peak_space",  "space_bound",
               "peak_queue"}};
}

report::view sim_page_view(const step_request& request) {
  report::view view = {"processors", "steps", "error", "speedup", "bound"};
  if (has_chance(request.settings))
    view.insert(view.end(),
                {"seeds", "steals", "stolen", "steal_dollars", "wait_dollars", "communication"});
  view.insert(view.end(), {"idle_dollars", "resumed", "peak_space", "space_bound", "peak_queue"});
  return view;
}

report::value end_of_interval(const report::summary& of, double report::interval::*end) {
  if (of.count < 2) return {};
  return report::mean_interval(of).*end;
}

std::string relative_error(const report::summary& of) {
  if (of.count < 2) return "-";
  const auto interval = report::mean_interval(of);
  return fmt::format("{:.2f}%", 50 * (interval.high - interval.low) / of.mean);
}

}  // namespace heist::cli
