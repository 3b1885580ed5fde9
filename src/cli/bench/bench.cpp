// heist bench: prints a benchmark's figures, the machine and the targets.
#include <filesystem>

#include <fmt/format.h>

#include "bench/machine.hpp"
#include "bench/suite/suites.hpp"
#include "cli/bench/bench_json.hpp"
#include "cli/bench/bench_print.hpp"
#include "cli/bench/requests.hpp"
#include "cli/cli.hpp"
#include "cli/progress.hpp"
#include "report/markdown.hpp"
#include "report/results.hpp"

namespace heist::cli {

namespace {

std::vector<report::option> options_of(const workloads::option_values& values) {
  std::vector<report::option> result;
  for (const auto& each : values.texts()) {
    // An integer was checked when it was set.
    if (each.kind == workloads::option_kind::integer && !each.text.empty())
      result.push_back({each.name, std::stoll(each.text)});
    else
      result.push_back({each.name, each.text});
  }
  return result;
}

}  // namespace

void print(const report::results& of, const bench_output& how, output& out) {
  switch (how.form) {
    case report::form::text:
      out.print("{}", to_text(of));
      break;
    case report::form::csv:
      out.print("{}", to_csv(of));
      break;
    case report::form::json:
      out.print("{}\n", to_json(of));
      break;
  }
  out.flush();
  write_pages(of, how);
}

void write_pages(const report::results& of, const bench_output& how) {
  if (!how.html.empty()) write_file(how.html, to_page(of, how.command));
  if (how.markdown.empty()) return;
  const auto stem = std::filesystem::path(how.markdown).replace_extension().string();
  std::vector<std::string> pictures;
  for (const auto& svg : pictures_of(of)) {
    const auto file = fmt::format("{}-{}.svg", stem, pictures.size() + 1);
    write_file(file, svg);
    pictures.push_back(std::filesystem::path(file).filename().string());
  }
  write_file(how.markdown, to_markdown(of, how.command, pictures));
}

void require_writable_pages(const bench_output& how) { require_writable({how.html, how.markdown}); }

void require_baseline(const bench_baseline& file) {
  if (!file.file.empty()) static_cast<void>(report::read_results(file.file));
}

std::vector<bench::checked_ratio> lost(const report::results& found, const bench_baseline& than) {
  auto ratios = bench::compare(found, report::read_results(than.file), than.file);
  std::erase_if(ratios, [&](const auto& each) { return each.now <= than.tolerance * each.before; });
  return ratios;
}

int report_lost(const std::vector<bench::checked_ratio>& bad, const std::string& file,
                std::FILE* err) {
  for (const auto& each : bad)
    fmt::print(err, "heist: {}, {}: {:.2f} times serial, {:.2f} in the baseline {}\n", each.group,
               each.row, each.now, each.before, file);
  return bad.empty() ? success : baseline_missed;
}

int run_bench(const bench_list_request& request, output& out, std::FILE* /*err*/) {
  for (const auto& suite : bench::suites()) {
    if (request.json)
      out.print("{}\n", to_json(suite));
    else
      out.print("{:<26}{}\n", fmt::format("--suite {}", suite.name), suite.summary);
  }
  for (const auto& benchmark : bench::all()) {
    if (request.json)
      out.print("{}\n", to_json(benchmark));
    else
      out.print("{:<26}{}\n", benchmark.name, benchmark.summary);
  }
  return success;
}

namespace {

report::results measure(const bench_request& request, std::FILE* err) {
  const auto machine = bench::this_machine();
  progress line(err);
  auto settings = request.settings;
  settings.announce = [&](const std::string& what) {
    line.show(fmt::format("{}: {}", request.benchmark->name, what));
  };
  report::results found = request.benchmark->run(request.values, settings);
  found.benchmark = request.benchmark->name;
  found.is_quick = request.quick;
  found.rounds = request.settings.repeat;
  found.options = options_of(request.values);
  found.on = machine;
  bench::note_others(found.on);
  return found;
}

}  // namespace

int run_bench(const bench_request& request, output& out, std::FILE* err) {
  require_writable_pages(request.printed);
  require_baseline(request.held_against);
  try {
    const report::results found = measure(request, err);
    print(found, request.printed, out);
    if (request.held_against.file.empty()) return success;
    auto bad = lost(found, request.held_against);
    // Once more: a busy machine may have been the reason.
    if (!bad.empty()) bad = lost(measure(request, err), request.held_against);
    return report_lost(bad, request.held_against.file, err);
  } catch (const bench::wrong_result& wrong) {
    fmt::print(err, "heist: {}: wrong result: {}\n", request.benchmark->name, wrong.what());
    return result_differs;
  }
}

int run_bench(const bench_show_request& request, output& out, std::FILE* /*err*/) {
  require_writable_pages(request.printed);
  print(report::read_results(request.file), request.printed, out);
  return success;
}

}  // namespace heist::cli
