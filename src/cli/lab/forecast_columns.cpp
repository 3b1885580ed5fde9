#include "cli/lab/forecast_columns.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace heist::cli {

namespace {

using report::value;

constexpr report::number_format six_digits{report::number_format::general, 6};
constexpr report::number_format four_places{.digits = 4};

// The columns that both kinds of rows have. `kind` tells them apart.
template <class Row>
std::vector<report::column<Row>> common(const char* kind, const char* heading) {
  return {
      {"kind", "", [kind](const Row&) { return value(std::string(kind)); }},
      {.key = "program",
       .heading = heading,
       .get = [](const Row& r) { return value(r.program); },
       .width = 11,
       .to = report::side::left},
      {"dag", "", [](const Row& r) { return value(r.dag); }},
      {"processors", "workers", [](const Row& r) { return value(std::uint64_t{r.processors}); }, 8},
      {.key = "instruction_ns",
       .heading = "ns a unit",
       .get = [](const Row& r) { return value(r.instruction_ns); },
       .width = 12,
       .format = four_places,
       .csv = six_digits},
      {.key = "serial_s",
       .heading = "",
       .get = [](const Row& r) { return value(r.serial_s); },
       .csv = six_digits},
      {.key = "speedup",
       .heading = "speedup",
       .get = [](const Row& r) { return value(r.speedup()); },
       .width = 9,
       .format = {.digits = 2},
       .csv = four_places},
      {.key = "low_s",
       .heading = "",
       .get = [](const Row& r) { return value(r.range.least); },
       .csv = six_digits},
      {.key = "high_s",
       .heading = "",
       .get = [](const Row& r) { return value(r.range.greatest); },
       .csv = six_digits},
  };
}

report::view csv_view() {
  return {"kind",           "program",           "dag",      "processors",
          "instruction_ns", "busy_factor",       "serial_s", "real_s",
          "real_least_s",   "real_greatest_s",   "seconds",  "speedup",
          "difference",     "within_15_percent", "low_s",    "high_s"};
}

}  // namespace

report::columns<calibration::checked_row> checked_columns() {
  using row = calibration::checked_row;
  auto all = common<row>("check", "program");
  std::vector<report::column<row>> figures = {
      {"forks", "", [](const row& r) { return value(r.forks); }},
      {"fork_ns", "", [](const row& r) { return value(r.fork_ns); }},
      {.key = "busy_factor",
       .heading = "busy",
       .get = [](const row& r) { return value(r.busy_factor); },
       .width = 8,
       .format = {.digits = 2},
       .csv = four_places},
      {.key = "real_s",
       .heading = "real, s",
       .get = [](const row& r) { return value(r.real.median()); },
       .width = 12,
       .format = {.digits = 5},
       .csv = six_digits},
      {.key = "real_least_s",
       .heading = "",
       .get = [](const row& r) { return value(r.real.least()); },
       .csv = six_digits},
      {.key = "real_greatest_s",
       .heading = "",
       .get = [](const row& r) { return value(r.real.greatest()); },
       .csv = six_digits},
      {"real_range", "(least to greatest)",
       [](const row& r) {
         return value(fmt::format("({:.5f} to {:.5f})", r.real.least(), r.real.greatest()));
       },
       24},
      {.key = "real_runs",
       .heading = "",
       .get =
           [](const row& r) {
             return value(report::members{{"median", r.real.median()},
                                          {"least", r.real.least()},
                                          {"greatest", r.real.greatest()},
                                          {"samples", std::uint64_t{r.real.size()}}});
           },
       .json = "real_s"},
      {.key = "seconds",
       .heading = "simulated, s",
       .get = [](const row& r) { return value(r.simulated); },
       .width = 14,
       .format = {.digits = 5},
       .json = "simulated_s",
       .csv = six_digits},
      {"range", "(from low to high)",
       [](const row& r) {
         return value(fmt::format("({:.5f} to {:.5f})", r.range.least, r.range.greatest));
       },
       23},
      {.key = "difference",
       .heading = "off",
       .get = [](const row& r) { return value(r.difference()); },
       .width = 8,
       .format = {report::number_format::signed_percent, 1},
       .csv = four_places},
      {"within_15_percent", "", [](const row& r) { return value(r.agrees()); }},
      {"warning", "",
       [](const row& r) { return value(std::string(r.agrees() ? "" : "  more than 15%")); }},
  };
  all.insert(all.end(), figures.begin(), figures.end());
  return report::columns<row>(std::move(all));
}

row_views checked_views() {
  return {.text = {"program", "processors", "instruction_ns", "busy_factor", "real_s", "real_range",
                   "seconds", "range", "difference", "warning"},
          .csv = csv_view(),
          .json = {"kind", "program", "dag", "processors", "forks", "fork_ns", "instruction_ns",
                   "busy_factor", "real_runs", "seconds", "low_s", "high_s", "difference",
                   "within_15_percent"}};
}

report::columns<calibration::forecast_row> forecast_columns() {
  using row = calibration::forecast_row;
  constexpr report::number_format percent{report::number_format::percent, 1};
  auto all = common<row>("forecast", "forecast");
  std::vector<report::column<row>> figures = {
      {.key = "seconds",
       .heading = "time, s",
       .get = [](const row& r) { return value(r.seconds); },
       .width = 14,
       .format = {.digits = 6},
       .csv = six_digits},
      {"range", "(from low to high)",
       [](const row& r) {
         return value(fmt::format("({:.6f} to {:.6f})", r.range.least, r.range.greatest));
       },
       25},
      {"work_share", "working", [](const row& r) { return value(r.work_share); }, 10, percent},
      {"overhead_share", "overhead", [](const row& r) { return value(r.overhead_share); }, 10,
       percent},
      {"asleep_share", "asleep", [](const row& r) { return value(r.asleep_share); }, 10, percent},
      {"steals", "steals", [](const row& r) { return value(r.steals); }, 10},
  };
  all.insert(all.end(), figures.begin(), figures.end());
  // There are no real runs.
  for (const char* key : {"busy_factor", "real_s", "real_least_s", "real_greatest_s", "difference",
                          "within_15_percent"})
    all.push_back({key, "", [](const row&) { return value(); }});
  return report::columns<row>(std::move(all));
}

row_views forecast_views() {
  return {.text = {"program", "processors", "seconds", "range", "speedup", "work_share",
                   "overhead_share", "asleep_share", "steals"},
          .csv = csv_view(),
          .json = {"kind", "program", "dag", "processors", "instruction_ns", "serial_s", "seconds",
                   "low_s", "high_s", "speedup", "work_share", "overhead_share", "asleep_share",
                   "steals"}};
}

}  // namespace heist::cli
