// The columns of an experiment's rows, each declared once: a terminal's table, CSV, JSON and a
// page's table take from the same declaration what they show.
//
//     const report::columns<row> columns(
//         {{.key = "steps", .heading = "T", .get = [](const row& r) { return value(r.steps); }}});
//     out.print("{}", columns.csv_head(view) + columns.csv_line(view, r));
//
// A view names the columns of one format, in their order: formats differ in what they show and in
// which order, never in what a column is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "report/chart.hpp"
#include "report/statistics.hpp"
#include "report/table.hpp"

namespace heist::report {

// How results are printed.
enum class form { text, json, csv };

struct member;
using members = std::vector<member>;  // of an object in JSON

// Nothing to tell: an empty cell, and no member in JSON.
struct left_out {};

// An unformatted cell. std::monostate is an empty cell, and null in JSON. A summary stands for its
// mean, in JSON for an object with the spread; one of no values is left out. Objects and arrays of
// them are for JSON only.
using value = std::variant<std::monostate, left_out, bool, std::uint64_t, double, std::string,
                           summary, members, std::vector<members>>;

struct member {
  std::string key;
  value what;
};

// How people read a number.
struct number_format {
  enum kinds { fixed, general, percent, signed_percent, figure } kind = fixed;
  int digits = 0;  // after the point; general: significant ones; a figure has four
};

enum class side { right, left };

template <class Row>
struct column {
  std::string key;      // its name in views, in CSV and in JSON
  std::string heading;  // for people
  std::function<value(const Row&)> get;
  std::size_t width = 0;                            // of its cells in a terminal
  number_format format = {};                        // there; a page shows four digits, or per cents
  std::string json = {};                            // its key in JSON where that differs
  side to = side::right;                            // in a terminal
  std::optional<number_format> csv = std::nullopt;  // there; ten digits without
};

using view = std::vector<std::string>;

// How JSON is written. Spaced: with a space behind each comma and colon, whole numbers without a
// point, and a summary's interval before its ends.
enum class json_style { compact, spaced };

// What the columns of a table share.
struct table_style {
  std::size_t gap = 0;          // spaces between the columns of a terminal
  std::size_t least_width = 0;  // of a column there
  // CSV and pages have the headings and cells of a terminal.
  enum cell_kinds { by_format, as_in_text } cells = by_format;
  json_style json = json_style::compact;
};

// What the formats make of one value.
[[nodiscard]] std::string text_cell(const value& what, number_format format);
[[nodiscard]] std::string csv_cell(const value& what, std::optional<number_format> format = {});
[[nodiscard]] std::string page_cell(const value& what, number_format format);
// The number, or the mean; NaN where there is none.
[[nodiscard]] double number_of(const value& what);
// Half the width of the mean's interval; nothing for a single value.
[[nodiscard]] value half_width(const summary& of);
[[nodiscard]] std::string json_object(const members& all, json_style style = json_style::compact);

template <class Row>
class columns {
 public:
  explicit columns(std::vector<column<Row>> all, table_style style = {})
      : all_(std::move(all)), style_(style) {}

  // Lines with their ends.
  [[nodiscard]] std::string text_head(const view& shown) const {
    return text_of(shown, [](const column<Row>& c) { return c.heading; });
  }
  [[nodiscard]] std::string text_line(const view& shown, const Row& row) const {
    return text_of(shown, [&row](const column<Row>& c) { return text_cell(c.get(row), c.format); });
  }
  [[nodiscard]] std::string csv_head(const view& shown) const {
    return csv_of(shown,
                  [this](const column<Row>& c) { return has_text_cells() ? c.heading : c.key; });
  }
  [[nodiscard]] std::string csv_line(const view& shown, const Row& row) const {
    return csv_of(shown, [this, &row](const column<Row>& c) {
      return has_text_cells() ? text_cell(c.get(row), c.format) : csv_cell(c.get(row), c.csv);
    });
  }
  // An object, without the line's end.
  [[nodiscard]] std::string json_line(const view& shown, const Row& row) const {
    members all;
    for (const auto& key : shown) {
      const column<Row>& c = at(key);
      all.push_back({c.json.empty() ? c.key : c.json, c.get(row)});
    }
    return json_object(all, style_.json);
  }
  [[nodiscard]] std::string json_array(const view& shown, const std::vector<Row>& rows,
                                       std::string_view between = ",\n") const {
    std::string text = "[";
    for (const auto& row : rows) {
      if (text.size() > 1) text += between;
      text += json_line(shown, row);
    }
    return text + ']';
  }
  [[nodiscard]] table page_table(const view& shown, const std::vector<Row>& rows) const {
    table result;
    for (const auto& key : shown) result.columns.push_back(at(key).heading);
    for (const auto& row : rows) {
      auto& cells = result.rows.emplace_back();
      for (const auto& key : shown) {
        const column<Row>& c = at(key);
        cells.push_back(has_text_cells() ? text_cell(c.get(row), c.format)
                                         : page_cell(c.get(row), c.format));
      }
    }
    return result;
  }
  // What a chart shows: one column against another. Rows without a number in both have no point.
  [[nodiscard]] std::vector<point> points(std::string_view x, std::string_view y,
                                          const std::vector<Row>& rows) const {
    std::vector<point> result;
    for (const auto& row : rows) {
      const double right = number_of(at(x).get(row));
      const double up = number_of(at(y).get(row));
      if (right == right && up == up) result.push_back({right, up});
    }
    return result;
  }

 private:
  [[nodiscard]] const column<Row>& at(std::string_view key) const {
    for (const auto& each : all_)
      if (each.key == key) return each;
    throw std::logic_error("no column " + std::string(key));
  }

  [[nodiscard]] bool has_text_cells() const { return style_.cells == table_style::as_in_text; }

  template <class Cell>
  [[nodiscard]] std::string text_of(const view& shown, Cell&& cell) const {
    std::string line;
    for (const auto& key : shown) {
      const column<Row>& c = at(key);
      const std::string text = cell(c);
      const auto width = std::max({c.width, style_.least_width, c.heading.size()});
      const std::string fill(width - std::min(width, text.size()), ' ');
      if (&key != &shown.front()) line.append(style_.gap, ' ');
      line += c.to == side::left ? text + fill : fill + text;
    }
    return line + '\n';
  }
  template <class Cell>
  [[nodiscard]] std::string csv_of(const view& shown, Cell&& cell) const {
    std::vector<std::string> cells;
    for (const auto& key : shown) cells.push_back(cell(at(key)));
    return to_csv({"", cells, {}});
  }

  std::vector<column<Row>> all_;
  table_style style_;
};

}  // namespace heist::report
