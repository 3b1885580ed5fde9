// heist theory: the recycling game, the theorems' bounds for a computation, and kernels that are
// adversaries. granularity.cpp has the fourth subcommand.
#include "cli/theory.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/granularity.hpp"
#include "cli/progress.hpp"
#include "cli/row_printer.hpp"
#include "lab/catalog/computation.hpp"
#include "lab/catalog/kernels.hpp"
#include "lab/dag/dag_dot.hpp"
#include "lab/dag/dag_json.hpp"
#include "lab/dag/dag_svg.hpp"
#include "lab/experiments/bounds.hpp"
#include "report/markup.hpp"
#include "report/page.hpp"
#include "report/table.hpp"

namespace heist::cli {

namespace {

int recycling(const recycling_request& request, output& out, std::FILE* err) {
  const auto& setup = request.setup;
  require_writable({request.svg, request.html});
  progress line(err);
  if (request.form == report::form::text)
    out.print("({}, {})-recycling game, {} games from seed {}\n", setup.processors, setup.tosses,
              setup.games, setup.seed);
  row_printer printer(out, request.form, lab::recycling_columns(), 9);
  std::vector<lab::recycling_row> rows;
  std::uint64_t above = 0;
  for (const auto who : request.adversaries) {
    line.show(fmt::format("{}: {}", to_string(who),
                          who == lab::adversary::searched ? "looking for a rule" : "game 1"));
    rows.push_back(lab::study_adversary(setup, who, [&](std::uint64_t games) {
      line.show(fmt::format("{}: game {} of {}", to_string(who), games, setup.games));
    }));
    line.clear();
    printer.add(recycling_cells(setup, rows.back()), recycling_json(setup, rows.back()));
    for (const double eps : lab::tail_probabilities) above += rows.back().above_bound(setup, eps);
  }
  if (request.form == report::form::text) {
    out.print("E[D] <= M = {}; c: D over M + P lg P + P lg(1/eps)\n", setup.tosses);
    for (const double eps : lab::tail_probabilities)
      out.print("with probability {:g}: D <= {:.0f}\n", 1 - eps,
                lab::delay_bound(setup.processors, setup.tosses, eps));
    out.print("games above their bound: {}\n", above);
    for (const auto& row : rows)
      if (row.who == lab::adversary::searched) out.print("{}\n", describe(row.rule));
  }
  if (!request.svg.empty()) write_file(request.svg, to_svg(delay_chart(setup, rows)));
  if (!request.html.empty()) write_file(request.html, recycling_page(setup, rows, request.command));
  return success;
}

std::string measures_json(const bounds_request& request, const lab::measures& of,
                          const lab::explicit_dag* dag) {
  auto text = fmt::format(
      "{{\"dag\": {}, \"work\": {}, \"span\": {}, \"parallelism\": {}, \"stack_depth\": {}, "
      "\"joins_with_parent\": {}, \"largest_frame\": {}, \"threads\": {}",
      report::json_text(request.dag), of.work, of.span, report::json_number(of.parallelism()),
      of.stack_depth, of.most_joins, of.largest_frame, of.threads);
  if (dag != nullptr)
    text += fmt::format(", \"kind\": {}", report::json_text(to_string(dag->kind())));
  return text + "}";
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
  for (const auto* file : {&request.picture, &request.dot, &request.save})
    if (!file->empty() && dag == nullptr)
      throw usage_error(fmt::format("bounds: {} appears as it runs: it can't be written to {}",
                                    request.dag, *file));
  if (!request.picture.empty()) write_file(request.picture, lab::dag_to_svg(*dag));
  if (!request.dot.empty()) write_file(request.dot, lab::dag_to_dot(*dag));
  if (!request.save.empty()) {
    const auto text = lab::dag_to_json(*dag);
    if (text.size() > lab::max_dag_file)  // nothing could read it
      throw usage_error(fmt::format("bounds: {}: a file has at most {} MiB, not {}", request.save,
                                    lab::max_dag_file >> 20U, text.size() >> 20U));
    write_file(request.save, text);
  }
}

std::string bounds_page(const bounds_request& request, const lab::measures& of,
                        const lab::explicit_dag* dag, const std::vector<lab::bounds>& rows,
                        const report::table& table) {
  report::page page("Bounds of " + request.dag, request.command);
  page.paragraph(
      "Work and span alone bound every schedule: none is shorter than T1/P or than Tinf, and a "
      "greedy "
      "one, that leaves no processor idle while there is something ready, is no longer than their "
      "sum.");
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
  std::string data = "{\"measures\": " + measures_json(request, of, dag) + ",\n \"bounds\": [";
  for (std::size_t i = 0; i < rows.size(); ++i)
    data += (i == 0 ? "" : ",\n  ") + bounds_json(rows[i]);
  return page.data(data + "]}").html();
}

int show_bounds(const bounds_request& request, output& out, std::FILE* err) {
  require_writable({request.picture, request.dot, request.save, request.html});
  progress line(err);
  line.show(fmt::format("{}: serial run", request.dag));
  const auto computation = lab::make_computation(request.dag);
  const auto measures = computation->measure();
  const auto* dag = computation->dag();
  line.clear();
  write_dag(request, dag);
  report::table table{"", lab::bounds_columns(), {}};
  std::vector<lab::bounds> rows;
  for (const auto processors : request.processors) {
    rows.push_back(lab::bounds_of(measures, processors));
    table.rows.push_back(lab::bounds_cells(rows.back()));
  }
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
      for (const auto& row : rows) out.print("{}\n", bounds_json(row));
      break;
  }
  if (!request.html.empty())
    write_file(request.html, bounds_page(request, measures, dag, rows, table));
  return success;
}

std::string kernel_study_page(const kernel_study_request& request,
                              const std::vector<lab::kernel_study_row>& rows,
                              const std::vector<report::chart>& charts) {
  report::page page("Kernels that are adversaries: " + request.dag, request.command);
  page.paragraph(
      "P processes steal work from each other on the processors that a kernel gives them, PA on "
      "average. "
      "The theorems promise O(T1/PA + Tinf P/PA): against a benign kernel always, against an "
      "oblivious one "
      "if a thief yields to a random process after a failed attempt, against an adaptive one if it "
      "yields to "
      "all others.");
  page.paragraph(
      "What to see: with the yield that the theorem asks for, every kernel stays near the dashed "
      "line. "
      "Without one, a kernel that keeps from running who has the work may stop a run for ever: "
      "then there "
      "is no mark.");
  for (const auto& chart : charts)
    page.add(chart, "Marks are means, lines go from the least to the greatest of the runs.");
  if (const auto fit = kernel_study_fit(rows); !fit.empty()) page.paragraph(fit + ".");
  report::table table{"", lab::kernel_study_columns(), {}};
  std::string data = "[";
  for (const auto& row : rows) {
    table.rows.push_back(kernel_study_cells(row));
    data += (data.size() > 1 ? ",\n " : "") + kernel_study_json(row);
  }
  return page.add(table).data(data + "]").html();
}

int study_kernels(const kernel_study_request& request, output& out, std::FILE* err) {
  require_writable({request.svg, request.html});
  progress line(err);
  line.show(fmt::format("{}: serial run", request.dag));
  const auto program = lab::make_computation(request.dag);
  const auto measures = program->measure();
  line.clear();
  // An unknown kernel is refused before anything is printed.
  if (!request.kernel.empty())
    (void)lab::make_kernel(request.kernel, request.processes.front(), measures.span, 1);
  if (request.form == report::form::text)
    out.print("{}: T1 {}, Tinf {}, parallelism {:.1f}; {} runs for each row\n", request.dag,
              measures.work, measures.span, measures.parallelism(), request.setup.seeds);
  row_printer printer(out, request.form, lab::kernel_study_columns(), 17);
  std::vector<lab::kernel_study_row> rows;
  std::vector<report::chart> charts;
  for (const auto processes : request.processes) {
    const auto given = request.given != 0 ? request.given : (processes + 1) / 2;
    const auto words = request.kernel.empty() ? lab::kernel_words(processes, given, measures.span)
                                              : std::vector<std::string>{request.kernel};
    for (const auto& kernel : words)
      for (const auto yield :
           {lab::yield_policy::none, lab::yield_policy::to_random, lab::yield_policy::to_all}) {
        line.show(fmt::format("P = {}, {}, yield {}", processes, kernel, to_string(yield)));
        rows.push_back(study_kernel(*program, measures, request.setup, kernel, yield, processes));
        line.clear();
        printer.add(kernel_study_cells(rows.back()), kernel_study_json(rows.back()));
      }
    charts.push_back(lab::kernel_study_chart(fmt::format("{}, P = {}", request.dag, processes),
                                             rows, processes));
  }
  if (const auto fit = kernel_study_fit(rows); !fit.empty() && request.form == report::form::text)
    out.print("{}\n", fit);
  if (!request.svg.empty()) write_file(request.svg, report::to_svg(charts.back()));
  if (!request.html.empty()) write_file(request.html, kernel_study_page(request, rows, charts));
  return success;
}

struct dispatch {
  output& out;
  std::FILE* err;

  int operator()(const recycling_request& request) const { return recycling(request, out, err); }
  int operator()(const bounds_request& request) const { return show_bounds(request, out, err); }
  int operator()(const kernel_study_request& request) const {
    return study_kernels(request, out, err);
  }
  int operator()(const granularity_request& request) const {
    return granularity(request, out, err);
  }
};

}  // namespace

int theory(const theory_request& request, output& out, std::FILE* err) {
  return std::visit(dispatch{out, err}, request);
}

}  // namespace heist::cli
