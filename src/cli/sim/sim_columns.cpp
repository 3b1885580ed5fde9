// Declares each column of `heist sim` once; the four formats show some of them.
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/sim/sim.hpp"
#include "lab/catalog/schedulers.hpp"
#include "lab/experiments/bounds.hpp"

namespace heist::cli {

namespace {

using report::value;

// The access model that requests followed; empty without requests.
value access_of(const lab::run_settings& settings) {
  if (!has_thieves(settings)) return {};
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

// The communication that is expected, without its constant factor.
double communication_bound(const sim_row& r, const lab::measures& of) {
  return lab::bounds_of(of, r.processors).communication;
}

// The quantiles of the runs' times and steal attempts, each with the constant factor that makes the
// bound of that probability (Blumofe and Leiserson, section 6: with a probability of 1 - eps at
// least) equal to it.
std::vector<column> quantile_columns(const lab::measures& of) {
  using row = sim_row;
  std::vector<column> all;
  for (const auto& [eps, percent] : {std::pair{0.5, 50}, {0.1, 90}, {0.01, 99}}) {
    const auto at = [q = 1 - eps](const std::vector<double>& sorted) {
      return report::quantile(sorted, q);
    };
    const double more = std::log2(1 / eps);
    const auto time_factor = [&of, at, more](const row& r) {
      const double p = r.processors;
      return (at(r.sorted_steps) - static_cast<double>(of.work) / p) /
             (static_cast<double>(of.span) + std::log2(p) + more);
    };
    const auto attempts_factor = [&of, at, more](const row& r) {
      return at(r.sorted_attempts) / (r.processors * (static_cast<double>(of.span) + more));
    };
    all.push_back({fmt::format("steps_{}", percent),
                   fmt::format("T {} %", percent),
                   [at](const row& r) { return value(at(r.sorted_steps)); },
                   12,
                   {.digits = 0}});
    all.push_back({fmt::format("time_factor_{}", percent),
                   "factor",
                   [time_factor](const row& r) { return value(time_factor(r)); },
                   8,
                   {.digits = 2}});
    all.push_back({fmt::format("attempts_{}", percent),
                   fmt::format("attempts {} %", percent),
                   [at](const row& r) { return value(at(r.sorted_attempts)); },
                   15,
                   {.digits = 0}});
    all.push_back({fmt::format("attempts_factor_{}", percent),
                   "factor",
                   [attempts_factor](const row& r) { return value(attempts_factor(r)); },
                   8,
                   {.digits = 2}});
  }
  return all;
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
       },
       15},
      {"moved", "threads moved", [](const row& r) { return value(r.moved); }, 15},
      {"communication_bound",
       "P Tinf (1+nd) Smax",
       [&](const row& r) { return value(communication_bound(r, of)); },
       20,
       {.digits = 0}},
      {"communication_share",
       "share",
       [&](const row& r) { return value(r.communication.mean / communication_bound(r, of)); },
       9,
       {.digits = 4}},
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
  const auto quantiles = quantile_columns(of);
  all.insert(all.end(), quantiles.begin(), quantiles.end());
  const auto space = space_columns<row>(of);
  all.insert(all.end(), space.begin(), space.end());
  return report::columns<row>(std::move(all));
}

row_views sim_views(sim_columns_shown shown) {
  row_views views = {
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
  if (shown == sim_columns_shown::time) return views;
  report::view more;
  if (shown == sim_columns_shown::communication) {
    more = {"moved", "communication_bound", "communication_share"};
    views.text = {"processors",
                  "steps",
                  "to_bound",
                  "steals",
                  "moved",
                  "communication",
                  "communication_bound",
                  "communication_share"};
  } else {
    for (const auto percent : {50, 90, 99})
      for (const auto* name : {"steps_{}", "time_factor_{}", "attempts_{}", "attempts_factor_{}"})
        more.push_back(fmt::format(fmt::runtime(name), percent));
    views.text = more;
    views.text.insert(views.text.begin(), "processors");
  }
  views.csv.insert(views.csv.end(), more.begin(), more.end());
  views.json.insert(views.json.end(), more.begin(), more.end());
  return views;
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
