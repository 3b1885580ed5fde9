#include "report/table.hpp"

#include <algorithm>
#include <cstddef>

#include "report/markup.hpp"

namespace heist::report {

namespace {

// Counts characters, not bytes: continuation bytes of UTF-8 take no place.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

bool is_number(const std::string& text) {
  return text.empty() || text == "-" ||
         (text.find_first_of("0123456789") != std::string::npos &&
          text.find_first_not_of("0123456789+-.,%e<>=~ ") == std::string::npos);
}

std::vector<bool> numeric_columns(const table& what) {
  std::vector<bool> result(what.columns.size(), !what.rows.empty());
  for (const auto& row : what.rows)
    for (std::size_t i = 0; i < row.size() && i < result.size(); ++i)
      if (!is_number(row[i])) result[i] = false;
  return result;
}

void append_line(std::string& text, const std::vector<std::string>& cells,
                 const std::vector<std::size_t>& widths, const std::vector<bool>& to_right) {
  std::string line;
  for (std::size_t i = 0; i < cells.size() && i < widths.size(); ++i) {
    const std::string fill(widths[i] - width_of(cells[i]), ' ');
    line += i == 0 ? "" : "  ";
    line += to_right[i] ? fill + cells[i] : cells[i] + fill;
  }
  text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

void append_csv_line(std::string& text, const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) text += (i == 0 ? "" : ",") + csv_cell(cells[i]);
  text += '\n';
}

}  // namespace

std::string to_text(const table& what) {
  const auto to_right = numeric_columns(what);
  std::vector<std::size_t> widths;
  for (const auto& column : what.columns) widths.push_back(width_of(column));
  for (const auto& row : what.rows)
    for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i)
      widths[i] = std::max(widths[i], width_of(row[i]));
  std::string text = what.title.empty() ? "" : what.title + '\n';
  append_line(text, what.columns, widths, to_right);
  for (const auto& row : what.rows) append_line(text, row, widths, to_right);
  return text;
}

std::string to_csv(const table& what) {
  std::string text;
  append_csv_line(text, what.columns);
  for (const auto& row : what.rows) append_csv_line(text, row);
  return text;
}

std::string to_html(const table& what) {
  const auto to_right = numeric_columns(what);
  std::string text = "<table>\n";
  if (!what.title.empty()) text += "<caption>" + escape_markup(what.title) + "</caption>\n";
  const auto add = [&](const std::vector<std::string>& cells, const std::string& element) {
    text += "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool right = i < to_right.size() && to_right[i];
      text += '<' + element + (right ? " class=\"number\">" : ">") + escape_markup(cells[i]) +
              "</" + element + '>';
    }
    text += "</tr>\n";
  };
  add(what.columns, "th");
  for (const auto& row : what.rows) add(row, "td");
  return text + "</table>\n";
}

}  // namespace heist::report
