#include "report/results.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/columns.hpp"
#include "report/dot_plot.hpp"
#include "report/page.hpp"

namespace heist::report {

namespace {

std::string describe(const measure& what) {
  const auto& values = what.values;
  if (values.count == 0) return what.name + " -";
  auto text = what.name + ' ' + with_unit(values.median, what.unit);
  if (values.count > 1)
    text += fmt::format(" ({} to {})", short_figure(values.least), short_figure(values.greatest));
  return text;
}

// Indents each line by two.
std::string indented(std::string_view text) {
  std::string result = "  ";
  for (const char c : text) result += c == '\n' ? std::string("\n  ") : std::string(1, c);
  return result + '\n';
}

std::string targets_text(const std::vector<target>& targets) {
  std::string text;
  for (const auto& each : targets) {
    text += fmt::format("  target: {}: {}: ", each.what, limit_of(each));
    if (each.measured) text += with_unit(*each.measured, each.unit) + ", ";
    text += outcome_of(each) + (each.note.empty() ? "" : " (" + each.note + ')') + '\n';
  }
  return text;
}

// A measure of a row, which is what a line of the CSV file and of the page's table shows.
struct measured {
  const row* of;
  const measure* what;  // nullptr: the row has none
};

std::vector<measured> measured_of(const results& of) {
  std::vector<measured> result;
  for (const auto& each : of.rows) {
    if (each.measures.empty()) result.push_back({&each, nullptr});
    for (const auto& what : each.measures) result.push_back({&each, &what});
  }
  return result;
}

value figure_of(const measured& one, double distribution::*member) {
  if (one.what == nullptr || one.what->values.count == 0) return {};
  return one.what->values.*member;
}

column<measured> figure_column(const char* key, double distribution::*member) {
  return {.key = key, .heading = key, .get = [member](const measured& one) {
            return figure_of(one, member);
          }};
}

const columns<measured>& result_columns() {
  static const columns<measured> all(
      {{.key = "group", .heading = "", .get = [](const measured& one) { return one.of->group; }},
       {.key = "row", .heading = "", .get = [](const measured& one) { return one.of->name; }},
       {.key = "measure",
        .heading = "measure",
        .get = [](const measured& one) -> value {
          return one.what == nullptr ? std::string() : one.what->name;
        }},
       {.key = "unit",
        .heading = "unit",
        .get = [](const measured& one) -> value {
          return one.what == nullptr ? std::string() : one.what->unit;
        }},
       {.key = "samples",
        .heading = "samples",
        .get = [](const measured& one) -> value {
          return std::uint64_t{one.what == nullptr ? 0 : one.what->values.count};
        }},
       figure_column("median", &distribution::median),
       figure_column("least", &distribution::least),
       figure_column("greatest", &distribution::greatest),
       figure_column("p90", &distribution::p90),
       {.key = "note", .heading = "note", .get = [](const measured& one) {
          return one.of->note;
        }}});
  return all;
}

view result_view(const results& of) {
  view shown = {"row", "measure", "unit", "samples", "median", "least", "greatest", "p90", "note"};
  const auto in_group = [](const row& each) { return !each.group.empty(); };
  if (std::any_of(of.rows.begin(), of.rows.end(), in_group)) shown.insert(shown.begin(), "group");
  return shown;
}

// A row's contestant, whatever its number of workers: "heist" of "heist, P = 2".
std::string_view contestant_of(const row& each) {
  return std::string_view(each.name).substr(0, each.name.find(", P = "));
}

// The rows that have this measure, beside each other. A contestant has one colour.
dot_plot plot_of(const results& of, const std::string& group, const std::string& name,
                 const std::string& unit) {
  dot_plot plot{.title = (group.empty() ? "" : group + ": ") + name +
                         (unit.empty() ? "" : fmt::format(" ({})", unit))};
  double least = INFINITY, greatest = -INFINITY;
  std::vector<std::string_view> contestants;
  for (const auto& each : of.rows)
    for (const auto& what : each.measures) {
      if (each.group != group || what.name != name || what.unit != unit || what.values.count == 0)
        continue;
      const auto& values = what.values;
      const auto who = contestant_of(each);
      const auto known = std::find(contestants.begin(), contestants.end(), who);
      const auto series = static_cast<std::size_t>(known - contestants.begin());
      if (known == contestants.end()) contestants.push_back(who);
      plot.dots.push_back({each.name, values.median, values.least, values.greatest, series});
      least = std::min(least, values.least);
      greatest = std::max(greatest, values.greatest);
    }
  // Beyond a factor of twenty the small ones would all stand at the left edge.
  plot.x.scale = least > 0 && greatest > 20 * least ? axis_scale::log10 : axis_scale::linear;
  if (plot.x.scale == axis_scale::linear && least >= 0) plot.x.least = 0;
  return plot;
}

table targets_table(const std::vector<target>& targets) {
  table result{.title = "Targets",
               .columns = {"target", "promised", "measured", "outcome", "note"},
               .rows = {}};
  for (const auto& each : targets)
    result.rows.push_back({each.what, limit_of(each),
                           each.measured ? with_unit(*each.measured, each.unit) : "-",
                           outcome_of(each), each.note});
  return result;
}

}  // namespace

distribution::distribution(const samples& of) : count(of.size()) {
  if (of.empty()) return;
  median = of.median();
  least = of.least();
  greatest = of.greatest();
  p90 = of.quantile(0.9);
  if (count <= most_values) values = of.values();
}

bool target::met() const {
  if (!measured) return false;
  return kind == bound::at_most ? *measured <= limit : *measured >= limit;
}

std::string short_figure(double number) {
  const double size = std::abs(number);
  if (size >= 1000) return fmt::format("{:.0f}", number);
  if (size >= 100) return fmt::format("{:.1f}", number);
  if (size >= 10) return fmt::format("{:.2f}", number);
  if (size >= 0.1) return fmt::format("{:.3f}", number);
  return size == 0 ? "0" : fmt::format("{:.3g}", number);
}

std::string with_unit(double number, const std::string& unit) {
  return unit.empty() ? short_figure(number) : short_figure(number) + ' ' + unit;
}

constexpr double busy_machine = 0.1;

std::string describe(const machine& on) {
  auto text = fmt::format("{}; {} processors", on.cpu, on.processors);
  if (on.quota > 0) text += fmt::format(", quota {:.2f}", on.quota);
  text += fmt::format("; {}\n{} {}; load before {:.2f}", on.kernel, on.compiler, on.flags, on.load);
  if (on.others)
    text += fmt::format("; others had {:.0f} % meanwhile{}", 100 * *on.others,
                        *on.others > busy_machine ? ": measure again when they are free" : "");
  if (!on.is_optimised) text += "\nnot an optimised build: the figures are about it only";
  return text;
}

std::string limit_of(const target& promised) {
  return fmt::format("{} {}", promised.kind == bound::at_most ? "at most" : "at least",
                     with_unit(promised.limit, promised.unit));
}

std::string outcome_of(const target& promised) {
  return !promised.measured ? "not measured" : promised.met() ? "met" : "missed";
}

std::string legend_of(const results& of) {
  return fmt::format("medians (least to greatest); every result as in serial{}",
                     of.is_quick ? "; a quick run, whose figures mean little" : "");
}

std::vector<std::string> groups_of(const results& of) {
  std::vector<std::string> groups;
  for (const auto& each : of.rows)
    if (std::find(groups.begin(), groups.end(), each.group) == groups.end())
      groups.push_back(each.group);
  return groups;
}

std::vector<std::pair<std::string, std::string>> kinds_of(const std::vector<row>& rows) {
  std::vector<std::pair<std::string, std::string>> kinds;
  for (const auto& each : rows)
    for (const auto& what : each.measures)
      if (std::pair kind(what.name, what.unit);
          std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
        kinds.push_back(std::move(kind));
  return kinds;
}

std::vector<std::string> dot_plots_of(const results& of) {
  std::vector<std::string> plots;
  for (const auto& group : groups_of(of))
    for (const auto& [name, unit] : kinds_of(of.rows)) {
      // Of many groups only what can be compared between them; the table has everything.
      if (!group.empty() && name != "to serial" && name != "peak") continue;
      const auto plot = plot_of(of, group, name, unit);
      if (plot.dots.size() > 1) plots.push_back(to_svg(plot));
    }
  return plots;
}

std::vector<std::string> pictures_of(const results& of) {
  if (of.charts.empty() && of.heat_maps.empty()) return dot_plots_of(of);
  std::vector<std::string> pictures;
  for (const auto& each : of.charts) pictures.push_back(to_svg(each));
  for (const auto& each : of.heat_maps) pictures.push_back(to_svg(each));
  return pictures;
}

// Measures that all rows have share a column width. The name of a group stands above its rows.
std::string to_text(const std::vector<row>& rows) {
  std::size_t name_width = 0;
  std::vector<std::size_t> widths;
  for (const auto& each : rows) {
    name_width = std::max(name_width, each.name.size());
    widths.resize(std::max(widths.size(), each.measures.size()));
    for (std::size_t i = 0; i < each.measures.size(); ++i)
      widths[i] = std::max(widths[i], describe(each.measures[i]).size());
  }
  std::string text;
  const std::string* group = nullptr;
  for (const auto& each : rows) {
    if (!each.group.empty() && (group == nullptr || *group != each.group))
      text += fmt::format("  {}:\n", each.group);
    group = &each.group;
    auto line = fmt::format("  {:<{}}", each.name, name_width);
    for (std::size_t i = 0; i < each.measures.size(); ++i)
      line += fmt::format("  {:<{}}", describe(each.measures[i]), widths[i]);
    if (!each.note.empty()) line += "  " + each.note;
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

std::string to_text(const results& of) {
  std::string text = fmt::format("{}: {}\n", of.benchmark, of.title);
  if (!of.source.empty()) text += fmt::format("  source: {}\n", of.source);
  text += indented(describe(of.on)) + to_text(of.rows) + targets_text(of.targets);
  for (const auto& note : of.notes) text += fmt::format("  {}\n", note);
  return text + indented(legend_of(of));
}

std::string to_csv(const results& of) {
  std::string text = result_columns().csv_head(result_view(of));
  for (const auto& each : measured_of(of)) text += result_columns().csv_line(result_view(of), each);
  return text;
}

std::string to_page(const results& of, std::string_view command) {
  report::page page(of.benchmark, command);
  page.paragraph(of.title + ".").paragraph(describe(of.on) + ".");
  if (!of.source.empty()) page.paragraph("Source: " + of.source + ".");
  for (const auto& each : of.charts) page.add(each);
  for (const auto& each : of.heat_maps) page.picture(to_svg(each));
  for (const auto& plot : dot_plots_of(of)) page.picture(plot);
  if (!of.targets.empty()) page.add(targets_table(of.targets));
  page.add(result_columns().page_table(result_view(of), measured_of(of)));
  for (const auto& note : of.notes) page.paragraph(note + ".");
  return page
      .paragraph(
          "Each dot and figure is a median, each line goes from the least value to "
          "the greatest; " +
          std::string(of.is_quick ? "a quick run, whose figures mean little; " : "") +
          "every result was the serial one.")
      .data(to_json(of))
      .html();
}

}  // namespace heist::report
