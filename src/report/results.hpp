// The results of a benchmark: rows of measured values, the targets beside them, and the machine.
// They are written as text, CSV, JSON and a page, and read back from JSON, so that a run can be
// drawn and compared later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "report/chart.hpp"
#include "report/heat_map.hpp"
#include "report/samples.hpp"

namespace heist::report {

// What samples say once all of them were taken. The values of a handful of runs are kept as well;
// of a thousand samples only the distribution.
struct distribution {
  static constexpr std::size_t most_values = 64;

  distribution() = default;
  distribution(const samples& of);  // implicit: every measure is made of samples

  std::size_t count = 0;  // the other figures mean nothing where it is 0
  double median = 0, least = 0, greatest = 0, p90 = 0;
  std::vector<double> values;  // in the order in which they were taken; empty beyond most_values

  bool operator==(const distribution&) const = default;
};

struct measure {
  std::string name;  // "time", "T1/Ts"
  std::string unit;  // empty for a ratio
  distribution values;

  bool operator==(const measure&) const = default;
};

struct row {
  std::string name;               // the contestant
  std::vector<measure> measures;  // none if it could not take part; the note says why
  std::string note;
  std::string group = {};  // what it has in common with the rows beside it; empty: nothing

  bool operator==(const row&) const = default;
};

enum class bound { at_most, at_least };

// A promised value, and the one that this run measured.
struct target {
  std::string what;
  std::string unit;
  bound kind;
  double limit;
  std::optional<double> measured;  // nothing: this run could not measure it; see the note
  std::string note;

  [[nodiscard]] bool met() const;
  bool operator==(const target&) const = default;
};

// The machine and the compiler with which the figures were made; without them a figure says little.
struct machine {
  std::string cpu;     // the model's name
  int processors = 0;  // usable by the process
  double quota = 0;    // of processors, by the cgroup; 0: none
  std::string kernel;  // name and release
  std::string compiler;
  std::string flags;          // of optimisation
  bool is_optimised = false;  // a figure of a debug or sanitizer build is about that build only
  double load = 0;            // the system's average over the last minute, before the run
  std::optional<double> others{};  // the share of the processors' time that others had meanwhile

  bool operator==(const machine&) const = default;
};

struct option {
  std::string name;
  std::variant<std::int64_t, std::string> value;

  bool operator==(const option&) const = default;
};

struct results {
  std::string title;  // what ran, with its sizes
  std::vector<row> rows;
  std::vector<target> targets;
  std::vector<std::string> notes;   // what a reader must know to understand the figures
  std::vector<chart> charts;        // that show more than the rows do side by side
  std::vector<heat_map> heat_maps;  // likewise, of many ratios
  std::string source;               // the document, and its figure or table, if this repeats one

  std::string benchmark;  // the name
  bool is_quick = false;  // tiny sizes, whose figures mean little
  unsigned rounds = 0;
  std::vector<option> options;
  machine on;

  bool operator==(const results&) const = default;
};

// Four significant digits for a terminal, whatever the unit.
[[nodiscard]] std::string short_figure(double number);
// The parts of a report in words, which all forms share: the machine in two lines or three; "at
// most 2.200 ms"; "met"; how to read a figure.
[[nodiscard]] std::string describe(const machine& on);
[[nodiscard]] std::string limit_of(const target& promised);
[[nodiscard]] std::string outcome_of(const target& promised);
[[nodiscard]] std::string legend_of(const results& of);
[[nodiscard]] std::string with_unit(double number, const std::string& unit);

// The groups of rows, in order.
[[nodiscard]] std::vector<std::string> groups_of(const results& of);
// The names of the measures of these rows, with their units, in the order in which they first
// occur.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> kinds_of(
    const std::vector<row>& rows);

// SVG files: a dot plot for each measure that several rows share.
[[nodiscard]] std::vector<std::string> dot_plots_of(const results& of);
// The charts and then the heat maps, or the dot plots where there are neither.
[[nodiscard]] std::vector<std::string> pictures_of(const results& of);

[[nodiscard]] std::string to_text(const results& of);
// The rows alone.
[[nodiscard]] std::string to_text(const std::vector<row>& rows);
// A line for each measure of each row.
[[nodiscard]] std::string to_csv(const results& of);
// An HTML file; `command` is the command line that makes it again.
[[nodiscard]] std::string to_page(const results& of, std::string_view command);
// One line, of the format "heist results 1". Released keys don't change.
[[nodiscard]] std::string to_json(const results& of);

// The results that to_json() has written. Throws usage_error, which names the file and what is
// wrong in it, for text that isn't JSON, for another format, and for a part that is missing or of
// another type; parts that it doesn't know are ignored.
[[nodiscard]] results parse_results(std::string_view text, std::string_view file);
// The same, of a file. Throws resource_error where it can't be read, and usage_error where it is
// larger than 64 MiB.
[[nodiscard]] results read_results(const std::string& path);

}  // namespace heist::report
