// The requests that heist-bench gets, and what answers them.
#pragma once

#include <cstdio>
#include <string>
#include <variant>
#include <vector>

#include "bench/benchmark.hpp"
#include "bench/suite/suite.hpp"
#include "cli/program.hpp"
#include "report/columns.hpp"
#include "workloads/workload.hpp"

namespace heist::cli {

struct bench_list_request {
  bool json = false;
};

// How the results of a benchmark are printed.
struct bench_output {
  report::form form = report::form::text;
  std::string html, markdown;  // files; empty: none
  std::string command;         // the command line
};

// Results to hold these against.
struct bench_baseline {
  std::string file;      // empty: none
  double tolerance = 0;  // a ratio may be that many times the baseline's
};

struct bench_request {
  const bench::benchmark* benchmark = nullptr;
  workloads::option_values values;
  bench::settings settings;
  bool quick = false;
  bench_output printed;
  bench_baseline held_against;
};

// Whole programs on heist, its presets and the rivals.
struct bench_suite_request {
  const bench::suite* suite = nullptr;
  bench::suite_settings settings;
  bench_output printed;
  bench_baseline held_against;
};

// The process that is one side of a suite.
struct side_request {
  std::string program;
  unsigned workers = 1;
  std::string preset;  // or "serial"
  std::vector<std::string> settings;
};

// Results that were written before.
struct bench_show_request {
  std::string file;
  bench_output printed;
};

using any_bench_request =
    std::variant<bench_list_request, bench_request, bench_show_request, bench_suite_request>;

// Each returns an exit code, and throws heist's errors.
int run_bench(const bench_list_request& request, output& out, std::FILE* err);
int run_bench(const bench_request& request, output& out, std::FILE* err);
int run_bench(const bench_suite_request& request, output& out, std::FILE* err);
int run_bench(const bench_show_request& request, output& out, std::FILE* err);
inline int run_any_bench(const any_bench_request& request, output& out, std::FILE* err) {
  return std::visit([&](const auto& r) { return run_bench(r, out, err); }, request);
}
[[nodiscard]] reader<any_bench_request> add_bench(arguments& own);

int serve_side(const side_request& request, std::FILE* in, std::FILE* out);

}  // namespace heist::cli
