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

int run_bench(const bench_request& request, output& out, std::FILE* err) {
  require_writable_pages(request.printed);
  const auto machine = bench::this_machine();
  report::results found;
  try {
    progress line(err);
    auto settings = request.settings;
    settings.announce = [&](const std::string& what) {
      line.show(fmt::format("{}: {}", request.benchmark->name, what));
    };
    found = request.benchmark->run(request.values, settings);
  } catch (const bench::wrong_result& wrong) {
    fmt::print(err, "heist: {}: wrong result: {}\n", request.benchmark->name, wrong.what());
    return result_differs;
  }
  found.benchmark = request.benchmark->name;
  found.is_quick = request.quick;
  found.rounds = request.settings.repeat;
  found.options = options_of(request.values);
  found.on = machine;
  print(found, request.printed, out);
  return success;
}

int run_bench(const bench_show_request& request, output& out, std::FILE* /*err*/) {
  require_writable_pages(request.printed);
  print(report::read_results(request.file), request.printed, out);
  return success;
}

}  // namespace heist::cli
