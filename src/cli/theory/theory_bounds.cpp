#include "cli/theory/theory_bounds.hpp"

#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "cli/cli.hpp"
#include "cli/progress.hpp"
#include "cli/theory/theory.hpp"
#include "lab/catalog/computation.hpp"
#include "lab/dag/dag_drawing.hpp"
#include "lab/dag/dag_json.hpp"
#include "lab/dag/make_strict.hpp"
#include "report/chart.hpp"
#include "report/markup.hpp"
#include "report/page.hpp"
#include "report/table.hpp"

namespace heist::cli {

namespace {

using report::value;

// A DAG that was made stricter, and what it was before.
struct dag_change {
  lab::measures before;
  lab::made_strict made;
};

std::optional<dag_change> change_of(const bounds_request& request, lab::computation& of) {
  if (request.made == lab::strictness::general) return {};
  if (of.dag() == nullptr)
    throw usage_error(
        fmt::format("bounds: {} appears as it runs, fully strict: --make goes with DAGs in memory",
                    request.dag));
  return dag_change{of.measure(), lab::make_strict(*of.dag(), request.made)};
}

std::string text_of(const dag_change& change, const lab::measures& after) {
  const auto& before = change.before;
  return fmt::format(
      "{} joins moved, {} instructions added; T1 {} -> {}, Tinf {} -> {}, parallelism {} -> {}",
      change.made.joins_moved, change.made.instructions_added, before.work, after.work, before.span,
      after.span, report::figure(before.parallelism()), report::figure(after.parallelism()));
}

std::string measures_json(const bounds_request& request, const lab::measures& of,
                          const lab::explicit_dag* dag, const std::optional<dag_change>& change) {
  const auto changed = [&](auto figure) {
    return change ? value(figure(*change)) : report::left_out();
  };
  return report::json_object(
      {{"dag", request.dag},
       {"work", std::uint64_t{of.work}},
       {"span", std::uint64_t{of.span}},
       {"parallelism", of.parallelism()},
       {"stack_depth", std::uint64_t{of.stack_depth}},
       {"joins_with_parent", std::uint64_t{of.most_joins}},
       {"largest_frame", std::uint64_t{of.largest_frame}},
       {"threads", std::uint64_t{of.threads}},
       {"kind", dag != nullptr ? value(std::string(to_string(dag->kind()))) : report::left_out()},
       {"joins_moved", changed([](const dag_change& c) { return c.made.joins_moved; })},
       {"instructions_added",
        changed([](const dag_change& c) { return c.made.instructions_added; })},
       {"work_before", changed([](const dag_change& c) { return std::uint64_t{c.before.work}; })},
       {"span_before", changed([](const dag_change& c) { return std::uint64_t{c.before.span}; })}},
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
report::chart speedup_bounds_chart(const std::string& title, const std::vector<bounds_row>& rows) {
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
                        const lab::explicit_dag* dag, const std::optional<dag_change>& change,
                        const std::vector<bounds_row>& rows, const report::table& table) {
  report::page page("Bounds of " + request.dag, request.command);
  page.paragraph(
      "Work and span alone bound every schedule: none is shorter than T1/P or than Tinf, and a "
      "greedy one, that leaves no processor idle while there is something ready, is no longer "
      "than their sum.");
  if (dag != nullptr && dag->node_count() <= lab::max_drawn_nodes)
    page.picture(lab::dag_to_svg(*dag),
                 "Time runs to the right; children stand below their parents.");
  if (change) page.paragraph(text_of(*change, of) + ".");
  page.add(measures_table(of, dag));
  if (rows.size() > 1)  // a curve needs two points
    page.add(
        speedup_bounds_chart("Speedup of " + request.dag, rows),
        "What to see: below T1/Tinf processors the two curves stay within a factor of two of P; "
        "beyond it more processors gain nothing.");
  page.add(table);
  if (const auto text = caveat(dag); !text.empty()) page.paragraph(text);
  return page
      .data("{\"measures\": " + measures_json(request, of, dag, change) + ",\n \"bounds\": " +
            bounds_columns().json_array(bounds_view(request), rows, ",\n  ") + '}')
      .html();
}

}  // namespace

report::columns<bounds_row> bounds_columns() {
  using row = bounds_row;
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
          {"shortest", "shortest schedule", [](const row& r) { return value(r.tried->shortest); }},
          {"longest_greedy", "longest greedy",
           [](const row& r) { return value(r.tried->longest); }},
          {"longest_to_shortest", "longest/shortest",
           [](const row& r) {
             return value(static_cast<double>(r.tried->longest) /
                          static_cast<double>(r.tried->shortest));
           },
           0, figure},
          {"states", "states", [](const row& r) { return value(r.tried->states); }},
      },
      theory_style);
}

report::view bounds_view(const bounds_request& request) {
  if (request.tries_schedules)
    return {"P",
            "time_at_least",
            "shortest",
            "longest_greedy",
            "greedy_time_at_most",
            "longest_to_shortest",
            "states"};
  return {
      "P",     "time_at_least", "greedy_time_at_most", "speedup_at_most", "greedy_speedup_at_least",
      "space", "communication"};
}

int show_bounds(const bounds_request& request, output& out, std::FILE* err) {
  require_writable({request.svg, request.dot, request.save, request.html});
  progress line(err);
  line.show(fmt::format("{}: serial run", request.dag));
  auto computation = lab::make_computation(request.dag);
  auto change = change_of(request, *computation);
  if (change) computation = lab::make_computation(std::move(change->made.dag));
  const auto measures = computation->measure();
  const auto* dag = computation->dag();
  if (request.tries_schedules && dag == nullptr)
    throw usage_error(
        fmt::format("bounds: {} appears as it runs: there are no schedules to try", request.dag));
  write_dag(request, dag);
  std::vector<bounds_row> rows;
  for (const auto processors : request.processors) {
    auto& row = rows.emplace_back(bounds_row{lab::bounds_of(measures, processors), {}});
    if (!request.tries_schedules) continue;
    line.show(fmt::format("{}: greedy schedules on {} processors", request.dag, processors));
    row.tried = lab::try_greedy_schedules(*dag, processors);
  }
  line.clear();
  const auto columns = bounds_columns();
  const auto view = bounds_view(request);
  const auto table = columns.page_table(view, rows);
  switch (request.form) {
    case report::form::text:
      out.print("{}\n", request.dag);
      if (change) out.print("{}\n", text_of(*change, measures));
      out.print("{}\n{}", to_text(measures_table(measures, dag)), to_text(table));
      if (const auto text = caveat(dag); !text.empty()) out.print("{}\n", text);
      break;
    case report::form::csv:
      out.print("{}", to_csv(table));
      break;
    case report::form::json:
      out.print("{}\n", measures_json(request, measures, dag, change));
      for (const auto& row : rows) out.print("{}\n", columns.json_line(view, row));
      break;
  }
  if (!request.html.empty())
    write_file(request.html, bounds_page(request, measures, dag, change, rows, table));
  return success;
}

}  // namespace heist::cli
