#include "report/markdown.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace heist::report {

namespace {

// Text that Markdown shows as it is, in one line.
std::string plain(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("\\`*<[|").find(c) != std::string_view::npos) result += '\\';
    result += c == '\n' ? std::string("; ") : std::string(1, c);
  }
  return result;
}

// A sentence, which notes are not until they end with a full stop.
std::string sentence(std::string_view text) {
  auto result = plain(text);
  if (!result.empty() && std::string_view(".!?:").find(result.back()) == std::string_view::npos)
    result += '.';
  return result;
}

std::string line_of(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const auto& each : cells) line += ' ' + plain(each) + " |";
  return line + '\n';
}

// After the first column come `figures` columns of figures, which stand at the right.
std::string head_of(const std::vector<std::string>& cells, std::size_t figures) {
  std::string rule = "|";
  for (std::size_t i = 0; i < cells.size(); ++i)
    rule += i >= 1 && i <= figures ? " ---: |" : " --- |";
  return line_of(cells) + rule + '\n';
}

std::string cell_of(const row& of, const std::pair<std::string, std::string>& kind) {
  for (const auto& [name, unit, values] : of.measures) {
    if (name != kind.first || unit != kind.second || values.count == 0) continue;
    auto text = short_figure(values.median);
    if (values.count > 1)
      text += fmt::format(" ({} to {})", short_figure(values.least), short_figure(values.greatest));
    return text;
  }
  return {};
}

std::string table_of(const std::vector<row>& rows) {
  const auto kinds = kinds_of(rows);
  std::vector<std::string> head = {""};
  for (const auto& [name, unit] : kinds)
    head.push_back(unit.empty() ? name : fmt::format("{}, {}", name, unit));
  const bool has_notes =
      std::any_of(rows.begin(), rows.end(), [](const row& each) { return !each.note.empty(); });
  if (has_notes) head.emplace_back("note");
  auto text = head_of(head, kinds.size());
  for (const auto& each : rows) {
    std::vector<std::string> cells = {each.name};
    for (const auto& kind : kinds) cells.push_back(cell_of(each, kind));
    if (has_notes) cells.push_back(each.note);
    text += line_of(cells);
  }
  return text;
}

std::string targets_table(const std::vector<target>& targets) {
  auto text = head_of({"target", "promised", "measured", "outcome", "note"}, 0);
  for (const auto& each : targets)
    text += line_of({each.what, limit_of(each),
                     each.measured ? with_unit(*each.measured, each.unit) : "", outcome_of(each),
                     each.note});
  return text;
}

// Of the i-th of pictures_of().
const std::string& title_of_picture(const results& of, std::size_t i) {
  if (i < of.charts.size()) return of.charts[i].title;
  i -= of.charts.size();
  return i < of.heat_maps.size() ? of.heat_maps[i].title : of.benchmark;
}

}  // namespace

std::string to_markdown(const results& of, std::string_view command,
                        const std::vector<std::string>& pictures) {
  auto text = fmt::format("# {}\n\n{}\n\n", plain(of.benchmark), sentence(of.title));
  if (!of.source.empty()) text += fmt::format("Source: {}\n\n", sentence(of.source));
  text += fmt::format("Machine: {}\n\n```sh\n{}\n```\n\n", sentence(describe(of.on)), command);
  for (std::size_t i = 0; i < pictures.size(); ++i)
    text += fmt::format("![{}]({})\n\n", plain(title_of_picture(of, i)), pictures[i]);
  text += "## Figures\n\n";
  for (const auto& group : groups_of(of)) {
    std::vector<row> rows;
    std::copy_if(of.rows.begin(), of.rows.end(), std::back_inserter(rows),
                 [&](const row& each) { return each.group == group; });
    if (!group.empty()) text += fmt::format("### {}\n\n", plain(group));
    text += table_of(rows) + '\n';
  }
  text += sentence(legend_of(of)) + '\n';
  if (!of.targets.empty()) text += "\n## Targets\n\n" + targets_table(of.targets);
  if (!of.notes.empty()) text += "\n## What differs, and why\n";
  for (const auto& each : of.notes) text += '\n' + sentence(each) + '\n';
  return text;
}

}  // namespace heist::report
