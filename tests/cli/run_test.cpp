// What the commands print when all is well.
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <heist/config.hpp>

#include "cli/about/info.hpp"
#include "cli/run/measure.hpp"
#include "cli/run/run.hpp"
#include "command.hpp"
#include "platform/cpu_count.hpp"
#include "platform/thread.hpp"
#include "tests/unit/platform/temporary_tree.hpp"
#include "workloads/workload.hpp"

using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace {

// Smaller than the defaults, for builds that run everything ten times slower.
const std::vector<std::vector<std::string>> quick_runs = {
    {"fib", "--n", "15"},
    {"nqueens", "--n", "7", "--cutoff", "2"},
    {"quicksort", "--size", "5000", "--cutoff", "50"},
    {"mergesort", "--size", "5000", "--cutoff", "50"},
    {"matmul", "--n", "50", "--base", "10"},
    {"mandelbrot", "--width", "40", "--height", "30"},
    {"wordcount", "--size", "20000", "--cutoff", "1000"},
    {"knapsack", "--items", "12"},
    {"graph_walk", "--breadth", "20", "--work", "10"},
    {"skynet", "--leaves", "1000"},
    {"cilksort", "--size", "5000", "--cutoff", "50"},
    {"samplesort", "--size", "5000", "--buckets", "8"},
    {"strassen", "--n", "50", "--cutoff", "10"},
    {"lu", "--n", "50", "--base", "10"},
    {"fft", "--log-size", "10", "--cutoff", "64"},
    {"integrate", "--digits", "6"},
    {"heat", "--width", "30", "--height", "20", "--steps", "5"},
    {"cholesky", "--n", "50", "--base", "8"},
    {"barnes_hut", "--bodies", "100", "--steps", "2"},
    {"bfs", "--scale", "8"},
    {"pagerank", "--scale", "8", "--iterations", "3"},
    {"kmeans", "--points", "500", "--block", "50"},
    {"filter", "--width", "40", "--height", "30", "--passes", "2"},
    {"particles", "--particles", "500", "--side", "8", "--steps", "3"},
    {"mesh", "--side", "5", "--steps", "6"},
    {"shortest_paths", "--scale", "8"},
    {"empty_jobs", "--jobs", "500", "--rounds", "2"},
    {"job_loop", "--elements", "1000", "--rounds", "2"}};

command_result run_two_workers(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "run");
  arguments.insert(arguments.end(), {"--workers", "2", "--repeat", "1"});
  return heist_command(arguments);
}

}  // namespace

TEST(RunCommand, ShowsTheThreeTimesAndTheirRatios) {
  for (const auto& arguments : quick_runs) {
    const auto result = run_two_workers(arguments);
    EXPECT_EQ(result.code, heist::cli::success) << result.err;
    EXPECT_EQ(result.err, "");
    EXPECT_THAT(result.out, StartsWith(arguments.front() + ": "));
    for (const auto* part : {"serial ", "1 worker ", "2 workers ", "T1/Ts", "Ts/TP", "T1/TP",
                             "steals ", "stacks ", "every result as in serial"})
      EXPECT_THAT(result.out, HasSubstr(part));
  }
}

TEST(RunCommand, WritesOneJsonObjectOnALine) {
  for (const auto& arguments : quick_runs) {
    auto with_json = arguments;
    with_json.emplace_back("--json");
    const auto result = run_two_workers(with_json);
    EXPECT_EQ(result.code, heist::cli::success) << result.err;
    EXPECT_THAT(result.out, StartsWith("{\"workload\":\"" + arguments.front() + "\""));
    EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1);
    for (const auto* key :
         {"serial_s", "one_worker_s", "p_workers_s", "t1_over_ts", "ts_over_tp", "t1_over_tp",
          "steals_per_run", "stacks_peak", "blocking_calls", "blocking_refusals",
          "blocking_threads_in_use", "blocking_threads_peak", "seatless_calls", "counters"})
      EXPECT_THAT(result.out, HasSubstr("\"" + std::string(key) + "\":"));
  }
}

// A number is a number, also where the command line gave it as a text; a name is a text.
TEST(RunCommand, WritesOptionsAsWhatTheyAre) {
  const auto fib = run_two_workers({"fib", "--n", "012", "--json"});
  EXPECT_THAT(fib.out, HasSubstr("\"options\":{\"n\":12}"));
  const auto sort = run_two_workers({"quicksort", "--size", "500", "--json"});
  EXPECT_THAT(sort.out, HasSubstr("\"options\":{\"size\":500,\"seed\":1,\"order\":\"random\","
                                  "\"file\":\"\",\"cutoff\":2048}"));
  EXPECT_THAT(heist_command({"list", "--json"}).out, HasSubstr("\"max\":92,\"default\":35}"));
}

TEST(RunCommand, EveryDequeRunsEveryWorkload) {
  for (const auto kind : heist::all_deque_kinds) {
    const std::string name(to_string(kind));
    for (const auto& arguments : quick_runs) {
      auto with_deque = arguments;
      with_deque.insert(with_deque.end(), {"--deque", name});
      if (kind == heist::deque_kind::multi_steal)
        with_deque.insert(with_deque.end(), {"--steal-batch", "3"});
      const auto result = run_two_workers(with_deque);
      EXPECT_EQ(result.code, heist::cli::success) << name << ' ' << result.err;
      EXPECT_THAT(result.out, HasSubstr("every result as in serial"));
      if (kind != heist::deque_kind::split) {
        EXPECT_THAT(result.out, HasSubstr(", deque " + name));
      }
    }
  }
}

TEST(RunCommand, TellsThePoliciesThatAreNotTheUsualOnes) {
  const auto result =
      run_two_workers({"fib", "--n", "12", "--deque", "multi_steal", "--steal-batch", "5", "--join",
                       "stalling", "--victim", "last", "--idle", "spin"});
  EXPECT_THAT(result.out,
              HasSubstr("as in serial, deque multi_steal of 5, spawn child, join stalling, victim "
                        "last, idle spin\n"));
  const auto json =
      run_two_workers({"fib", "--n", "12", "--json", "--deque", "abp", "--join", "stalling"});
  EXPECT_THAT(json.out, HasSubstr("\"deque\":\"abp\""));
  EXPECT_THAT(json.out, HasSubstr("\"join\":\"stalling\",\"victim\":\"random\""));
}

TEST(RunCommand, CountsTheWordsOfTheFilesGiven) {
  const heist_test::temporary_tree files;
  files.write("/one", "to be or not");
  files.write("/two", "to be");
  const auto result =
      run_two_workers({"wordcount", files.root() + "/one", files.root() + "/two", "--top", "1"});
  EXPECT_THAT(result.out, StartsWith("wordcount: 6 words, 4 distinct; be 2\n"));
}

TEST(RunCommand, DrawsThePicture) {
  const heist_test::temporary_tree files;
  const auto path = files.root() + "/set.png";
  const auto result =
      run_two_workers({"mandelbrot", "--width", "40", "--height", "30", "--output", path});
  EXPECT_EQ(result.code, heist::cli::success) << result.err;
  EXPECT_GT(std::filesystem::file_size(path), 100u);
}

TEST(RunCommand, GoesOnWithTheThreadsThatItGot) {
  heist::platform::set_thread_faults_for_test(1);
  const auto result = heist_command({"run", "fib", "--n", "10", "--workers", "3", "--repeat", "1"});
  heist::platform::set_thread_faults_for_test(-1);
  EXPECT_EQ(result.code, heist::cli::success) << result.err;
  EXPECT_EQ(result.err, "heist: the system refused 2 of 3 threads; going on with 1\n");
}

TEST(RunCommand, RefusesWithoutAnyThread) {
  heist::platform::set_thread_faults_for_test(0);
  const auto result = heist_command({"run", "fib", "--n", "10"});
  heist::platform::set_thread_faults_for_test(-1);
  EXPECT_EQ(result.code, heist::cli::environment_refused);
  EXPECT_THAT(result.err, HasSubstr("thread"));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
}

TEST(ListCommand, HasTwoLinesForEachWorkload) {
  const auto result = heist_command({"list"});
  EXPECT_EQ(result.code, heist::cli::success);
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'),
            2 * std::ssize(heist::workloads::all()));
  EXPECT_THAT(result.out, HasSubstr("\nquicksort "));
  EXPECT_THAT(heist_command({"list", "--json"}).out, StartsWith("{\"name\":\"fib\""));
}

TEST(InfoCommand, SaysWhereTheWorkersComeFrom) {
  EXPECT_THAT(heist_command({"info"}).out, HasSubstr("workers "));
  const variable_set variable("HEIST_WORKERS", "3");
  EXPECT_THAT(heist_command({"info"}).out, HasSubstr("3, from HEIST_WORKERS"));
  EXPECT_THAT(heist_command({"info", "--json"}).out,
              HasSubstr("\"workers\":3,\"workers_source\":\"HEIST_WORKERS\""));
}

TEST(InfoCommand, MeasuresLinesBetweenTheProcessorsOfTheMask) {
  const auto cpus = heist::platform::affinity_cpus();
  const auto text = heist_command({"info", "--latency"});
  EXPECT_EQ(text.code, heist::cli::success) << text.err;
  EXPECT_THAT(text.out, StartsWith("a cache line's way"));
  const auto json = heist_command({"info", "--latency", "--json"});
  EXPECT_THAT(json.out, StartsWith("{\"cpus\":[" + std::to_string(cpus.front())));

  const auto found = heist::cli::measure_line_latency(cpus, std::chrono::microseconds(100));
  for (std::size_t i = 0; i < cpus.size(); ++i)
    for (std::size_t k = 0; k < cpus.size(); ++k) {
      ASSERT_EQ(found.ns[i][k].has_value(), i != k);
      if (i != k) {
        EXPECT_GT(*found.ns[i][k], 0.1);
      }
    }
}

TEST(InfoCommand, ShowsManyProcessorsByLetters) {
  heist::cli::line_latency many;
  for (int cpu = 0; cpu < 32; ++cpu) many.cpus.push_back(cpu);
  many.ns.assign(32, std::vector<std::optional<double>>(32));
  for (std::size_t i = 0; i < 32; ++i)
    for (std::size_t k = 0; k < 32; ++k)
      if (i != k && i != 5 && k != 5) many.ns[i][k] = i / 16 == k / 16 ? 40 : 100;
  const auto text = picture(many, nullptr);
  EXPECT_THAT(text, StartsWith("       0 .aaaa.aaaaaaaaaaffffffffffffffff\n"));
  EXPECT_THAT(text, HasSubstr("\n       5 ................................\n"));
  EXPECT_THAT(text, HasSubstr("\na: up to 48, f: up to 119 ns\n"));
}

TEST(Profile, ADagSumsUpToTheTimeOnOneWorker) {
  const heist_test::temporary_tree tree;
  const std::string file = tree.root() + "/run.json";
  const auto result =
      run_two_workers({"quicksort", "--size", "200000", "--profile", "--dag", file, "--json"});
  ASSERT_EQ(result.code, heist::cli::success) << result.err;
  const auto number_after = [](const std::string& text, const std::string& key) {
    return std::stod(text.substr(text.find(key) + key.size()));
  };
  const double one_worker_s = number_after(result.out, R"("one_worker_s":{"median":)");

  std::ifstream in(file);
  const std::string dag{std::istreambuf_iterator<char>(in), {}};
  const std::string key = R"("weights": [)";
  double sum_ns = 0;
  for (std::size_t at = dag.find(key); at != std::string::npos; at = dag.find(key, at + 1)) {
    std::istringstream weights(dag.substr(at + key.size(), dag.find(']', at) - at - key.size()));
    for (std::string each; std::getline(weights, each, ',');) sum_ns += std::stod(each);
  }
  EXPECT_NEAR(sum_ns * 1e-9 / one_worker_s, 1, 0.01);
}

TEST(Profile, IsPrintedBesideTheTimesAndInJson) {
  const auto result = run_two_workers({"quicksort", "--size", "200000", "--profile"});
  EXPECT_EQ(result.code, heist::cli::success) << result.err;
  for (const auto* part : {"work T1", "span Tinf", "burdened span", "(defaults)", "critical path",
                           "P = 256", "measured without the profile: T1/TP"})
    EXPECT_THAT(result.out, HasSubstr(part));
  const auto json = run_two_workers({"fib", "--n", "15", "--profile", "--json"});
  EXPECT_THAT(json.out, HasSubstr("\"profile\":{"));
  EXPECT_THAT(json.out, HasSubstr("heist work and span 1"));
}

// The DAG that a profile writes has the work and the span that the profile prints.
TEST(Profile, WritesADagForTheSimulator) {
  const heist_test::temporary_tree folder;
  const auto file = folder.root() + "/run.json";
  const auto result =
      run_two_workers({"mergesort", "--size", "300000", "--profile", "--dag", file});
  ASSERT_EQ(result.code, heist::cli::success) << result.err;
  const auto simulated = heist_command(
      {"sim", "--dag", "file:" + file, "-P", "1,4", "--scheduler", "greedy", "--json"});
  EXPECT_EQ(simulated.code, heist::cli::success) << simulated.err;
  EXPECT_THAT(simulated.out, HasSubstr("\"processors\":4"));
  const auto scaled = heist_command(
      {"sim", "--dag", "file:" + file, "--scale", "outside all regions=0.5", "-P", "1", "--json"});
  EXPECT_EQ(scaled.code, heist::cli::success) << scaled.err;
  const auto unknown =
      heist_command({"sim", "--dag", "file:" + file, "--scale", "parse=0.5", "-P", "1"});
  EXPECT_EQ(unknown.code, heist::cli::wrong_usage);
}

// ---- What becomes of a workload whose result is wrong: made-up ones, as ours are right.

using namespace heist::cli;

namespace {

enum class flaw { none, differs_in_parallel, wrong_in_itself };

class fake_instance final : public heist::workloads::instance {
 public:
  explicit fake_instance(flaw has) : flaw_(has) {}
  void run_serial() override { value_ = 1; }
  void run_with(const heist::workloads::execution&) override {
    value_ = flaw_ == flaw::differs_in_parallel ? 2 : 1;
  }
  [[nodiscard]] std::string result() const override { return "fake"; }
  [[nodiscard]] std::uint64_t checksum() const override { return value_; }
  [[nodiscard]] std::optional<std::string> mistake() const override {
    if (flaw_ == flaw::wrong_in_itself) return "not what is published";
    return std::nullopt;
  }

 private:
  flaw flaw_;
  std::uint64_t value_ = 0;
};

class fake_workload final : public heist::workloads::workload {
 public:
  explicit fake_workload(flaw has) : flaw_(has) {}
  [[nodiscard]] std::string_view name() const override { return "fake"; }
  [[nodiscard]] std::string_view summary() const override { return "does nothing"; }
  [[nodiscard]] heist::workloads::profile describe() const override { return {}; }
  [[nodiscard]] std::vector<heist::workloads::option_spec> options() const override { return {}; }
  [[nodiscard]] std::unique_ptr<heist::workloads::instance> make(
      const heist::workloads::option_values&) const override {
    return std::make_unique<fake_instance>(flaw_);
  }

 private:
  flaw flaw_;
};

command_result run_fake(flaw has) {
  const fake_workload workload(has);
  run_request request;
  request.chosen.push_back({&workload, {"fake", {}}});
  request.pool.workers = 2;
  const captured_file out;
  const captured_file err;
  output to(out.file());
  const int code = run(request, to, err.file());
  return {code, out.text(), err.text()};
}

}  // namespace

TEST(Measure, RunsEachKindAsOftenAsAsked) {
  fake_instance instance(flaw::none);
  std::vector<std::string> announced;
  const auto report = measure("fake", instance, {.workers = 2}, {}, 2,
                              [&](const std::string& what) { announced.push_back(what); });
  EXPECT_EQ(announced, (std::vector<std::string>{"run 1 of 2, serial", "run 1 of 2, 1 worker",
                                                 "run 1 of 2, 2 workers", "run 2 of 2, serial",
                                                 "run 2 of 2, 1 worker", "run 2 of 2, 2 workers"}));
  EXPECT_EQ(report.serial.size(), 2u);
  EXPECT_EQ(report.one_worker.size(), 2u);
  EXPECT_EQ(report.p_workers.size(), 2u);
  EXPECT_EQ(report.mistake, std::nullopt);
}

TEST(Measure, TimesOneWorkerOnceWhenThatIsAll) {
  fake_instance instance(flaw::none);
  const auto report = measure("fake", instance, {.workers = 1}, {}, 1, [](const std::string&) {});
  EXPECT_EQ(report.one_worker.values(), report.p_workers.values());
}

TEST(Run, EndsWithThreeWhenAResultDiffers) {
  EXPECT_EQ(run_fake(flaw::none).code, success);
  const auto differs = run_fake(flaw::differs_in_parallel);
  EXPECT_EQ(differs.code, result_differs);
  EXPECT_EQ(differs.out, "");
  EXPECT_EQ(differs.err,
            "heist: fake: wrong result: 1 worker: the result is not that of the serial run: fake, "
            "not fake\n");
  const auto wrong = run_fake(flaw::wrong_in_itself);
  EXPECT_EQ(wrong.code, result_differs);
  EXPECT_THAT(wrong.err, HasSubstr("serial: not what is published"));
}
