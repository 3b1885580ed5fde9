// Measures the peak of the resident memory of a process that runs something with heist.
//
// Each figure is of a fresh process. The probe links only heist and the standard library, so its
// figure is heist's; without a pool, it is that of any program. The command itself links fmt
// and libpng, and heist-bench the rivals' libraries too, so they have rows of their own:
// `--only WORKLOAD` runs a workload in the current process and prints the peak of this process, and
// rows come from such runs.
#include <unistd.h>

#include <optional>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "bench/fork_join/fib.hpp"
#include "bench/memory/child.hpp"
#include "bench/memory/peak.hpp"
#include "bench/rounds.hpp"
#include "workloads/workload.hpp"

namespace heist::bench {

namespace {

using workloads::choice_option;
using workloads::integer_option;
using workloads::path_option;

constexpr double peak_limit_mb = 4;
constexpr const char* probe_name = "heist-memory-probe";

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  std::vector<std::string> names = {"none"};
  for (const auto* workload : workloads::all()) {
    const auto specs = workload->options();
    const bool needs_input = !specs.empty() && specs.back().kind == workloads::option_kind::files;
    if (!needs_input) names.emplace_back(workload->name());
  }
  return {integer_option("n", "which Fibonacci number", quick ? 20 : 39, 2, 60),
          choice_option("only", "runs this workload in this process alone", "none", names),
          choice_option("command-runs", "what the command runs for rows of its own",
                        quick ? "fib" : "several", {"fib", "several"}),
          path_option("probe", "the small program [beside the command]"),
          path_option("command", "the command itself [beside the command]")};
}

class peaks {
 public:
  peaks(const workloads::option_values& values, const settings& with)
      : with_(with),
        probe_(program_of(values, "probe", probe_name)),
        command_(program_of(values, "command", "heist")) {}

  void by_probe(const std::string& name, const std::string& what, std::uint64_t n,
                std::uint64_t expected, unsigned workers) {
    const auto row_name = "probe: " + name;
    if (probe_.empty())
      return leave_out(row_name, std::string(probe_name) + " is not beside the command");
    samples megabytes;
    for (unsigned round = 1; round <= with_.repeat; ++round) {
      with_.announce(fmt::format("{}, round {} of {}", row_name, round, with_.repeat));
      const auto printed = output_of(probe_, {what, std::to_string(n), std::to_string(workers)});
      check_result(row_name, expected, number_in(printed, "result"));
      megabytes.add(static_cast<double>(number_in(printed, "peak_bytes")) * 1e-6);
    }
    append(row_name, megabytes);
  }

  void by_command(const std::string& workload, unsigned workers) {
    const auto row_name = fmt::format("command: {} with its defaults", workload);
    if (command_.empty()) return leave_out(row_name, "needs --command");
    samples megabytes;
    for (unsigned round = 1; round <= with_.repeat; ++round) {
      with_.announce(fmt::format("{}, round {} of {}", row_name, round, with_.repeat));
      const auto printed = output_of(command_, {"bench", "memory", "--only", workload, "--workers",
                                                std::to_string(workers), "--json"});
      megabytes.add(static_cast<double>(number_in(printed, "median")) * 1e-6);
    }
    append(row_name, megabytes);
  }

  [[nodiscard]] std::optional<double> median_of(const std::string& name) const {
    for (const auto& each : rows_)
      if (each.name == name && !each.measures.empty()) return each.measures[0].values.median;
    return std::nullopt;
  }

  [[nodiscard]] const std::vector<row>& rows() const { return rows_; }

 private:
  void append(const std::string& name, const samples& megabytes) {
    rows_.push_back({name, {{"peak", "MB", megabytes}}, {}});
  }
  void leave_out(const std::string& name, const std::string& why) {
    rows_.push_back({name, {}, why});
  }

  settings with_;
  std::string probe_;
  std::string command_;
  std::vector<row> rows_;
};

results run_only(const std::string& name, unsigned workers) {
  const auto* workload = workloads::find(name);
  const auto instance =
      workload->make(workloads::option_values(workload->name(), workload->options()));
  instance->reset();
  whole_pool on({.workers = workers});
  on.run([&] { instance->run(); });
  const auto bytes = static_cast<double>(peak_resident_bytes());
  if (const auto mistake = instance->mistake()) throw wrong_result(*mistake);
  results result;
  result.title = fmt::format("{}, {} workers, in this process", name, workers);
  result.rows = {{name, {{"peak", "bytes", samples({bytes})}}, {}}};
  return result;
}

results run(const workloads::option_values& values, const settings& with) {
  const unsigned workers = with.workers != 0 ? with.workers : 2;
  if (const auto& only = values.text("only"); only != "none") {
    values.refuse({"n", "command-runs", "probe", "command"}, "--only " + only);
    return run_only(only, workers);
  }
  const auto n = static_cast<std::uint64_t>(values.integer("n"));
  const auto fib_name = fmt::format("fib({}), {} workers", n, workers);
  peaks found(values, with);
  found.by_probe("nothing", "nothing", 0, 1, 0);
  found.by_probe(fmt::format("serial fib({})", n), "serial", n, fib_by_addition(n), 0);
  found.by_probe(fmt::format("a pool of {} workers", workers), "pool", 0, 1, workers);
  found.by_probe(fib_name, "fib", n, fib_by_addition(n), workers);
  found.by_probe(fmt::format("fib({}), 16 workers", n), "fib", n, fib_by_addition(n), 16);
  found.by_probe(fmt::format("12 queens, {} workers", workers), "nqueens", 12, 14200, workers);
  found.by_command("fib", workers);
  if (values.text("command-runs") == "several")
    for (const auto* name : {"nqueens", "uts"}) found.by_command(name, workers);

  results result;
  result.title = fmt::format("peak resident memory of fresh processes; {} rounds", with.repeat);
  result.rows = found.rows();
  target promise{fmt::format("fib({}), {} workers", n, workers),
                 "MB",
                 bound::at_most,
                 peak_limit_mb,
                 found.median_of("probe: " + fib_name),
                 "promised for fib(39) with 2 workers"};
  result.targets = {promise};
  result.notes = {
      "MB of 10^6 bytes; the kernel's own count (VmHWM), which may lag by 64 pages a thread",
      "probe: a program of heist and the standard library; command: with its libraries"};
  return result;
}

}  // namespace

benchmark memory_benchmark() {
  return {"memory", "peak resident memory of programs that use heist", &options, &run};
}

}  // namespace heist::bench
