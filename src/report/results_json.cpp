// The format "heist results 1": written, and read back.
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <heist/error.hpp>

#include "report/json_part.hpp"
#include "report/results.hpp"
#include "report/text_file.hpp"

namespace heist::report {

namespace {

using json = nlohmann::ordered_json;

constexpr std::string_view format_name = "heist results 1";
constexpr std::size_t most_bytes = std::size_t{64} << 20U;
// In the order of axis_scale and of series_style.
constexpr std::array<std::string_view, 3> scale_names = {"linear", "log10", "log2"};
constexpr std::array<std::string_view, 4> style_names = {"line", "points", "bars", "bound"};

json as_json(const measure& what) {
  const auto& values = what.values;
  json result = {{"name", what.name}, {"unit", what.unit}, {"samples", values.count}};
  if (values.count == 0) return result;
  result["median"] = values.median;
  result["least"] = values.least;
  result["greatest"] = values.greatest;
  result["p90"] = values.p90;
  if (!values.values.empty()) result["runs"] = values.values;
  return result;
}

json as_json(const row& of) {
  json measures = json::array();
  for (const auto& each : of.measures) measures.push_back(as_json(each));
  json result = {{"name", of.name}, {"measures", measures}, {"note", of.note}};
  if (!of.group.empty()) result["group"] = of.group;
  return result;
}

json as_json(const target& promised) {
  return {{"what", promised.what},
          {"unit", promised.unit},
          {"bound", promised.kind == bound::at_most ? "at most" : "at least"},
          {"limit", promised.limit},
          {"measured", promised.measured ? json(*promised.measured) : json()},
          {"met", promised.measured ? json(promised.met()) : json()},
          {"note", promised.note}};
}

json as_json(const machine& on) {
  return {{"cpu", on.cpu},
          {"processors", on.processors},
          {"quota", on.quota},
          {"kernel", on.kernel},
          {"compiler", on.compiler},
          {"flags", on.flags},
          {"optimised", on.is_optimised},
          {"load", on.load},
          {"others", on.others ? json(*on.others) : json()}};
}

json as_json(const axis& of) {
  json result = {{"label", of.label}, {"scale", scale_names[static_cast<std::size_t>(of.scale)]}};
  if (of.least) result["least"] = *of.least;
  if (of.greatest) result["greatest"] = *of.greatest;
  if (!of.names.empty()) result["names"] = of.names;
  return result;
}

json as_json(const series& of) {
  json points = json::array();
  for (const auto& each : of.points) {
    json& added = points.emplace_back(json{{"x", each.x}, {"y", each.y}});
    if (each.low) added["low"] = *each.low;
    if (each.high) added["high"] = *each.high;
  }
  return {{"name", of.name},
          {"style", style_names[static_cast<std::size_t>(of.style)]},
          {"points", points}};
}

json as_json(const chart& of) {
  json all = json::array();
  for (const auto& each : of.all) all.push_back(as_json(each));
  return {{"title", of.title}, {"x", as_json(of.x)}, {"y", as_json(of.y)}, {"series", all}};
}

json as_json(const heat_map& of) {
  json cells = json::array();
  for (const auto& row : of.cells) {
    json& added = cells.emplace_back(json::array());
    for (const auto& each : row) added.push_back(each ? json(*each) : json());
  }
  return {{"title", of.title},
          {"columns", of.columns},
          {"rows", of.rows},
          {"cells", cells},
          {"middle", of.middle}};
}

json as_json(const std::vector<option>& options) {
  json result = json::object();
  for (const auto& each : options)
    std::visit([&](const auto& value) { result[each.name] = value; }, each.value);
  return result;
}

using part = json_part;

std::vector<option> options_of(const part& from) {
  std::vector<option> result;
  for (const auto& [name, value] : from.fields())
    if (value.is_whole())
      result.push_back({name, value.whole()});
    else
      result.push_back({name, value.text()});
  return result;
}

measure measure_of(const part& from) {
  measure result{from["name"].text(), from["unit"].text(), {}};
  auto& values = result.values;
  values.count = from["samples"].count<std::size_t>();
  if (values.count == 0) return result;
  values.median = from["median"].number();
  values.least = from["least"].number();
  values.greatest = from["greatest"].number();
  values.p90 = from["p90"].number();
  if (from.has("runs"))
    for (const auto& each : from["runs"].elements()) values.values.push_back(each.number());
  return result;
}

row row_of(const part& from) {
  row result{from["name"].text(), {}, from["note"].text()};
  for (const auto& each : from["measures"].elements()) result.measures.push_back(measure_of(each));
  if (from.has("group")) result.group = from["group"].text();
  return result;
}

target target_of(const part& from) {
  const auto kind = from["bound"].text();
  if (kind != "at most" && kind != "at least")
    from.fail(fmt::format("a target's bound is 'at most' or 'at least', not '{}'", kind));
  target result{from["what"].text(),
                from["unit"].text(),
                kind == "at most" ? bound::at_most : bound::at_least,
                from["limit"].number(),
                {},
                from["note"].text()};
  if (!from["measured"].is_null()) result.measured = from["measured"].number();
  return result;
}

axis axis_of(const part& from) {
  axis result{.label = from["label"].text(),
              .scale = static_cast<axis_scale>(from["scale"].one_of(scale_names)),
              .least = from.number_if_any("least"),
              .greatest = from.number_if_any("greatest")};
  if (from.has("names"))
    for (const auto& each : from["names"].elements()) result.names.push_back(each.text());
  return result;
}

series series_of(const part& from) {
  series result{from["name"].text(), static_cast<series_style>(from["style"].one_of(style_names))};
  for (const auto& each : from["points"].elements())
    result.points.push_back({each["x"].number(), each["y"].number(), each.number_if_any("low"),
                             each.number_if_any("high")});
  return result;
}

chart chart_of(const part& from) {
  chart result{from["title"].text(), axis_of(from["x"]), axis_of(from["y"]), {}};
  for (const auto& each : from["series"].elements()) result.all.push_back(series_of(each));
  return result;
}

heat_map heat_map_of(const part& from) {
  heat_map result{.title = from["title"].text(), .middle = from["middle"].number()};
  for (const auto& each : from["columns"].elements()) result.columns.push_back(each.text());
  for (const auto& each : from["rows"].elements()) result.rows.push_back(each.text());
  for (const auto& row : from["cells"].elements()) {
    auto& added = result.cells.emplace_back();
    for (const auto& each : row.elements())
      added.push_back(each.is_null() ? std::nullopt : std::optional(each.number()));
  }
  return result;
}

machine machine_of(const part& from) {
  return {.cpu = from["cpu"].text(),
          .processors = from["processors"].count<int>(),
          .quota = from["quota"].number(),
          .kernel = from["kernel"].text(),
          .compiler = from["compiler"].text(),
          .flags = from["flags"].text(),
          .is_optimised = from["optimised"].truth(),
          .load = from["load"].number(),
          .others = from.has("others") && !from["others"].is_null()
                        ? std::optional(from["others"].number())
                        : std::nullopt};
}

}  // namespace

std::string to_json(const results& of) {
  json rows = json::array();
  for (const auto& each : of.rows) rows.push_back(as_json(each));
  json targets = json::array();
  for (const auto& each : of.targets) targets.push_back(as_json(each));
  json all = {{"format", format_name},     {"benchmark", of.benchmark},
              {"title", of.title},         {"quick", of.is_quick},
              {"rounds", of.rounds},       {"options", as_json(of.options)},
              {"machine", as_json(of.on)}, {"rows", rows},
              {"targets", targets},        {"notes", of.notes}};
  for (const auto& each : of.charts) all["charts"].push_back(as_json(each));
  for (const auto& each : of.heat_maps) all["heat_maps"].push_back(as_json(each));
  if (!of.source.empty()) all["source"] = of.source;
  return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

results parse_results(std::string_view text, std::string_view file) {
  const text_position place(text, file);
  const json whole = parse_json_file(place);
  const part all(whole, "", place);
  all["format"].must_be(format_name);
  results result;
  result.benchmark = all["benchmark"].text();
  result.title = all["title"].text();
  result.is_quick = all["quick"].truth();
  result.rounds = all["rounds"].count<unsigned>();
  result.options = options_of(all["options"]);
  result.on = machine_of(all["machine"]);
  for (const auto& each : all["rows"].elements()) result.rows.push_back(row_of(each));
  for (const auto& each : all["targets"].elements()) result.targets.push_back(target_of(each));
  for (const auto& each : all["notes"].elements()) result.notes.push_back(each.text());
  if (all.has("charts"))
    for (const auto& each : all["charts"].elements()) result.charts.push_back(chart_of(each));
  if (all.has("heat_maps"))
    for (const auto& each : all["heat_maps"].elements())
      result.heat_maps.push_back(heat_map_of(each));
  if (all.has("source")) result.source = all["source"].text();
  return result;
}

results read_results(const std::string& path) {
  const auto text = read_text_file(path, most_bytes);
  if (text.size() > most_bytes)
    throw usage_error(fmt::format("{}: larger than {} MiB", path, most_bytes >> 20U));
  return parse_results(text, path);
}

}  // namespace heist::report
