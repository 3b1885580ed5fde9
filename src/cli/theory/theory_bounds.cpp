#include "cli/theory/theory_bounds.hpp"

#include <vector>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "cli/cli.hpp"
#include "cli/progress.hpp"
#include "cli/theory/theory.hpp"
#include "lab/catalog/computation.hpp"
#include "lab/dag/dag_dot.hpp"
#include "lab/dag/dag_json.hpp"
#include "lab/dag/dag_svg.hpp"
#include "report/chart.hpp"
#include "report/markup.hpp"
#include "report/page.hpp"
#include "report/table.hpp"

namespace heist::cli {

namespace {

using report::value;

std::string measures_json(const bounds_request& request, const lab::measures& of,
                          const lab::explicit_dag* dag) {
  return report::json_object(
      {{"dag", request.dag},
       {"work", std::uint64_t{of.work}},
       {"span", std::uint64_t{of.span}},
       {"parallelism", of.parallelism()},
       {"stack_depth", std::uint64_t{of.stack_depth}},
       {"joins_with_parent", std::uint64_t{of.most_joins}},
       {"largest_frame", std::uint64_t{of.largest_frame}},
       {"threads", std::uint64_t{of.threads}},
       {"kind", dag != nullptr ? value(std::string(to_string(dag->kind()))) : report::left_out()}},
      theory_style.json);
}

// A table with a line for each measure.
report::table measures_table(const lab::measures& of, const lab::explicit_dag* dag) {
  report::table result{
      "",
      {"measure", "value", "meaning"},
      {{"T1", fmt::to_string(of.work), "instructions"},
       {"Tinf", fmt::to_string(of.span), "instructions of a longest path"},
       {"T1/Tinf", report::figure(of.parallelism()), "parallelism"},
       {"S1", fmt::to_string(of.stack_depth), "frames of a thread and its ancestors"},
       {"nd", fmt::to_string(of.most_joins), "joins of a thread with its parent"},
       {"Smax", fmt::to_string(of.largest_frame), "largest frame"},
       {"threads", fmt::to_string(of.threads), ""}}};
  if (dag == nullptr) return result;
  const auto& why =
      dag->kind() == lab::strictness::general ? dag->why_not_strict() : dag->why_not_fully_strict();
  result.rows.push_back({"kind", std::string(to_string(dag->kind())), why});
  return result;
}

// The bounds that the theorems do not promise for this kind of computation.
std::string caveat(const lab::explicit_dag* dag) {
  if (dag == nullptr || dag->kind() == lab::strictness::fully_strict) return "";
  return dag->kind() == lab::strictness::strict
             ? "Only strict: the communication is not bounded, the space by Busy-Leaves only."
             : "Not strict: neither the space nor the communication is bounded.";
}

void write_dag(const bounds_request& request, const lab::explicit_dag* dag) {
  for (const auto* file : {&request.svg, &request.dot, &request.save})
    if (!file->empty() && dag == nullptr)
      throw usage_error(fmt::format("bounds: {} appears as it runs: it can't be written to {}",
                                    request.dag, *file));
  if (!request.svg.empty()) write_file(request.svg, lab::dag_to_svg(*dag));
  if (!request.dot.empty()) write_file(request.dot, lab::dag_to_dot(*dag));
  if (!request.save.empty()) {
    const auto text = lab::dag_to_json(*dag);
    if (text.size() > lab::max_dag_file)  // nothing could read it
      throw usage_error(fmt::format("bounds: {}: a file has at most {} MiB, not {}", request.save,
                                    lab::max_dag_file >> 20U, text.size() >> 20U));
    write_file(request.save, text);
  }
}

// The greatest possible speedup, and the least with a greedy scheduler.
report::chart speedup_bounds_chart(const std::string& title, const std::vector<lab::bounds>& rows) {
  report::chart result;
  result.title = title;
  result.x = {"P", report::axis_scale::log2};
  result.y = {"T1 / TP", report::axis_scale::log2};
  const auto columns = bounds_columns();
  result.all = {{"greedy: at least T1/(T1/P + Tinf)", report::series_style::line,
                 columns.points("P", "greedy_speedup_at_least", rows)},
                {"at most min(P, T1/Tinf)", report::series_style::bound,
                 columns.points("P", "speedup_at_most", rows)}};
  return result;
}

std::string bounds_page(const bounds_request& request, const lab::measures& of,
                        const lab::explicit_dag* dag, const std::vector<lab::bounds>& rows,
                        const report::table& table) {
  report::page page("Bounds of " + request.dag, request.command);
  page.paragraph(
      "Work and span alone bound every schedule: none is shorter than T1/P or than Tinf, and a "
      "greedy one, that leaves no processor idle while there is something ready, is no longer "
      "than their sum.");
  if (dag != nullptr && dag->node_count() <= lab::max_drawn_nodes)
    page.picture(lab::dag_to_svg(*dag),
                 "Time runs to the right; children stand below their parents.");
  page.add(measures_table(of, dag));
  if (rows.size() > 1)  // a curve needs two points
    page.add(
        speedup_bounds_chart("Speedup of " + request.dag, rows),
        "What to see: below T1/Tinf processors the two curves stay within a factor of two of P; "
        "beyond it more processors gain nothing.");
  page.add(table);
  if (const auto text = caveat(dag); !text.empty()) page.paragraph(text);
  return page
      .data("{\"measures\": " + measures_json(request, of, dag) +
            ",\n \"bounds\": " + bounds_columns().json_array(bounds_view(), rows, ",\n  ") + '}')
      .html();
}

}  // namespace

report::columns<lab::bounds> bounds_columns() {
  using row = lab::bounds;
  constexpr report::number_format figure{report::number_format::figure};
  return report::columns<row>(
      {
          {"P", "P", [](const row& r) { return value(r.processors); }},
          {"time_at_least", "T at least", [](const row& r) { return value(r.least_time); }, 0,
           figure},
          {"greedy_time_at_most", "T greedy at most",
           [](const row& r) { return value(r.greedy_time); }, 0, figure},
          {"speedup_at_most", "speedup at most", [](const row& r) { return value(r.most_speedup); },
           0, figure},
          {"greedy_speedup_at_least", "greedy at least",
           [](const row& r) { return value(r.sure_speedup); }, 0, figure},
          {"space", "S1 P", [](const row& r) { return value(r.space); }, 0, figure},
          {"communication", "P Tinf (1+nd) Smax",
           [](const row& r) { return value(r.communication); }, 0, figure},
      },
      theory_style);
}

const report::view& bounds_view() {
  static const report::view view = {
      "P",     "time_at_least", "greedy_time_at_most", "speedup_at_most", "greedy_speedup_at_least",
      "space", "communication"};
  return view;
}

int show_bounds(const bounds_request& request, output& out, std::FILE* err) {
  require_writable({request.svg, request.dot, request.save, request.html});
  progress line(err);
  line.show(fmt::format("{}: serial run", request.dag));
  const auto computation = lab::make_computation(request.dag);
  const auto measures = computation->measure();
  const auto* dag = computation->dag();
  line.clear();
  write_dag(request, dag);
  std::vector<lab::bounds> rows;
  for (const auto processors : request.processors)
    rows.push_back(lab::bounds_of(measures, processors));
  const auto columns = bounds_columns();
  const auto table = columns.page_table(bounds_view(), rows);
  switch (request.form) {
    case report::form::text:
      out.print("{}\n{}\n{}", request.dag, to_text(measures_table(measures, dag)), to_text(table));
      if (const auto text = caveat(dag); !text.empty()) out.print("{}\n", text);
      break;
    case report::form::csv:
      out.print("{}", to_csv(table));
      break;
    case report::form::json:
      out.print("{}\n", measures_json(request, measures, dag));
      for (const auto& row : rows) out.print("{}\n", columns.json_line(bounds_view(), row));
      break;
  }
  if (!request.html.empty())
    write_file(request.html, bounds_page(request, measures, dag, rows, table));
  return success;
}

}  // namespace heist::cli
