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

#include <cstddef>
#include <cstdint>
#include <functional>
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

// What stands in a row before it has a format. Nothing: an empty cell, in JSON null. A summary
// stands for its mean, in JSON for an object with the spread; one of no values is an empty cell,
// and left out in JSON.
using value = std::variant<std::monostate, std::uint64_t, double, std::string, summary>;

// How people read a number.
struct number_format {
  enum kinds { fixed, general, percent } kind = fixed;
  int digits = 0;  // after the point; general: significant ones
};

template <class Row>
struct column {
  std::string key;      // its name in views, in CSV and in JSON
  std::string heading;  // for people
  std::function<value(const Row&)> get;
  std::size_t width = 0;      // of its cells in a terminal, to the right
  number_format format = {};  // there; a page shows four digits, or per cents
  std::string json = {};      // its key in JSON where that differs
};

using view = std::vector<std::string_view>;

// What the formats make of one value.
[[nodiscard]] std::string text_cell(const value& what, number_format format);
[[nodiscard]] std::string csv_cell(const value& what);
[[nodiscard]] std::string page_cell(const value& what, number_format format);
// The number, or the mean; NaN where there is none.
[[nodiscard]] double number_of(const value& what);
[[nodiscard]] std::string json_object(const std::vector<std::pair<std::string, value>>& members);

template <class Row>
class columns {
 public:
  explicit columns(std::vector<column<Row>> all) : all_(std::move(all)) {}

  // Lines with their ends.
  [[nodiscard]] std::string text_head(const view& shown) const {
    return text_of(shown, [](const column<Row>& c) { return c.heading; });
  }
  [[nodiscard]] std::string text_line(const view& shown, const Row& row) const {
    return text_of(shown, [&row](const column<Row>& c) { return text_cell(c.get(row), c.format); });
  }
  [[nodiscard]] std::string csv_head(const view& shown) const {
    return csv_of(shown, [](const column<Row>& c) { return c.key; });
  }
  [[nodiscard]] std::string csv_line(const view& shown, const Row& row) const {
    return csv_of(shown, [&row](const column<Row>& c) { return csv_cell(c.get(row)); });
  }
  // An object, without the line's end.
  [[nodiscard]] std::string json_line(const view& shown, const Row& row) const {
    std::vector<std::pair<std::string, value>> members;
    for (const auto& key : shown) {
      const column<Row>& c = at(key);
      members.emplace_back(c.json.empty() ? c.key : c.json, c.get(row));
    }
    return json_object(members);
  }
  [[nodiscard]] std::string json_array(const view& shown, const std::vector<Row>& rows) const {
    std::string text = "[";
    for (const auto& row : rows) text += (text.size() > 1 ? ",\n" : "") + json_line(shown, row);
    return text + ']';
  }
  [[nodiscard]] table page_table(const view& shown, const std::vector<Row>& rows) const {
    table result;
    for (const auto& key : shown) result.columns.push_back(at(key).heading);
    for (const auto& row : rows) {
      auto& cells = result.rows.emplace_back();
      for (const auto& key : shown) cells.push_back(page_cell(at(key).get(row), at(key).format));
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

  template <class Cell>
  [[nodiscard]] std::string text_of(const view& shown, Cell&& cell) const {
    std::string line;
    for (const auto& key : shown) {
      const std::string text = cell(at(key));
      const std::size_t width = at(key).width;
      if (text.size() < width) line.append(width - text.size(), ' ');
      line += text;
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
};

}  // namespace heist::report
