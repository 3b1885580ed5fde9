// Whatever is wrong with what a user gives: the right exit code, nothing on standard output, and
// one line that names the thing.

#include <gmock/gmock.h>

#include "command.hpp"
#include "tests/unit/platform/temporary_tree.hpp"

using ::testing::HasSubstr;

namespace {

void expect_refused(int code, const std::vector<std::string>& arguments,
                    const std::string& complaint) {
  expect_refused(heist_command(arguments), code, complaint);
}

constexpr int usage = heist::cli::wrong_usage;
constexpr int refused = heist::cli::environment_refused;

}  // namespace

TEST(BadInput, Commands) {
  expect_refused(usage, {}, "no command");
  expect_refused(usage, {"rum"}, "unknown command 'rum': did you mean 'run'?");
  expect_refused(
      usage, {"frobnicate"},
      "unknown command 'frobnicate': not one of run, bench, sim, theory, lab, report, top, list, "
      "presets, explain, info, cluster, check, race, tbb, help; see heist --help");
  expect_refused(usage, {"help", "rum"}, "unknown command 'rum': did you mean 'run'?");
  expect_refused(usage, {"help", "run", "fob"}, "unknown command 'fob': did you mean 'fib'?");
  expect_refused(usage, {"help", "info", "all"}, "info has no help on 'all'");
  expect_refused(usage, {"help", "--json"}, "help has no option --json");
  expect_refused(usage, {"explain", "steels"}, "unknown name 'steels': did you mean 'steals'?");
  expect_refused(usage, {"explain", "steals", "parks"}, "explain takes no argument 'parks'");
  expect_refused(usage, {"--frob"}, "unknown option --frob");
  expect_refused(usage, {"list", "fib"}, "list takes no argument 'fib'");
  expect_refused(usage, {"info", "--xml"}, "info has no option --xml");
  expect_refused(usage, {"run", "fib", "nqueens"}, "fib takes no argument 'nqueens'");
  expect_refused(usage, {"list", "info"}, "list takes no argument 'info'");
  expect_refused(usage, {"theory", "bounds", "recycling", "--dag", "figure1"},
                 "bounds takes no argument 'recycling'");
  // Before the command, too, or a subject of it.
  expect_refused(usage, {"--json", "run", "fib", "--n", "5"}, "unknown option --json");
  expect_refused(usage, {"x", "sim", "--dag", "fib:5"}, "unknown command 'x'");
  expect_refused(usage, {"theory", "-P", "3", "bounds", "--dag", "figure1"},
                 "theory has no option -P: see heist theory --help");
  expect_refused(usage, {"lab", "--seeds", "3", "forecast", "--quick", "--program", "fib"},
                 "lab has no option --seeds: see heist lab --help");
}

TEST(BadInput, Workloads) {
  expect_refused(usage, {"run"}, "run needs a workload");
  expect_refused(usage, {"run", "fibb"}, "unknown workload 'fibb': did you mean 'fib'?");
  expect_refused(usage, {"run", "mregesort"}, "did you mean 'mergesort'?");
  expect_refused(usage, {"run", "spreadsheet", "--n", "3"},
                 "unknown workload 'spreadsheet': not one of all, fib, nqueens, quicksort, "
                 "mergesort, matmul, mandelbrot, wordcount, uts, knapsack, graph_walk, skynet, "
                 "cilksort, samplesort, strassen, lu, fft, integrate, heat, cholesky, barnes_hut, "
                 "bfs, pagerank, kmeans, filter, particles, mesh, shortest_paths, empty_jobs, "
                 "job_loop; see heist list");
  for (const auto* unlike : {"foo", "x", "ab", "merge_all"})
    expect_refused(usage, {"run", unlike}, std::string("unknown workload '") + unlike + "': not ");
}

TEST(BadInput, Options) {
  expect_refused(usage, {"run", "fib", "--m", "3"}, "fib has no option --m");
  expect_refused(usage, {"run", "fib", "3"}, "fib takes no argument '3'");
  expect_refused(usage, {"run", "fib", "--n"}, "--n needs a value");
  expect_refused(usage, {"run", "all", "--n", "3"}, "all has no option --n");
  expect_refused(usage, {"run", "fib", "--workers"}, "--workers needs a value");
  expect_refused(usage, {"run", "fib", "-P"}, "needs a value");
}

// An option that changes nothing is refused: who gives one expects something of it.
TEST(BadInput, OptionsWithoutEffect) {
  expect_refused(usage, {"run", "fib", "--steal-batch", "5"},
                 "--steal-batch goes with the deque multi_steal");
  expect_refused(usage, {"run", "fib", "--steal-rule", "k_or_one"},
                 "--steal-rule goes with the deque multi_steal");
  expect_refused(usage, {"run", "--steal-batch", "2", "fib", "--deque", "abp"},
                 "--steal-batch goes with the deque multi_steal");
  expect_refused(usage, {"run", "fib", "--costs", "c.json"}, "--costs goes with --profile");
  expect_refused(usage, {"run", "fib", "--dag", "d.json"}, "--dag goes with --profile");
  expect_refused(usage, {"run", "all", "--profile", "--dag", "d.json"},
                 "--dag goes with one workload");
  for (const auto* option : {"--size", "--seed"}) {
    expect_refused(usage, {"run", "quicksort", "--file", "x", option, "7"},
                   std::string("quicksort ") + option + " doesn't go with --file");
    expect_refused(usage, {"run", "wordcount", "x", option, "7"},
                   std::string("wordcount ") + option + " doesn't go with files");
  }
  expect_refused(usage, {"run", "mergesort", "--order", "random", "--file", "x"},
                 "mergesort --order doesn't go with --file");
}

TEST(BadInput, Policies) {
  expect_refused(usage, {"run", "fib", "--deque", "abq"},
                 "run --deque must be one of split, locked, spin_locked, bounded_ring, abp, "
                 "chase_lev, multi_steal, "
                 "steal_half, shared_queue, not 'abq'");
  expect_refused(usage, {"run", "fib", "--join", "never"},
                 "--join must be one of greedy, stalling");
  expect_refused(usage, {"run", "fib", "--victim", "me"},
                 "--victim must be one of random, last, nearest");
  expect_refused(usage, {"run", "fib", "--idle", "work"},
                 "--idle must be one of park, yield, spin");
  expect_refused(usage, {"run", "fib", "--preset", "silk"}, "--preset must be one of heist, cilk");
  expect_refused(usage, {"run", "fib", "--preset", "static"},
                 "the preset static has only loops, and fib forks");
  expect_refused(usage, {"run", "fib", "--queue-order", "lifo"},
                 "--queue-order goes with the deque shared_queue");
  expect_refused(usage, {"run", "fib", "--yield", "often"},
                 "--yield must be one of paced, none, to_any, to_random, to_all");
  for (const auto* value : {"0", "1025", "two"})
    expect_refused(usage, {"run", "fib", "--deque", "multi_steal", "--steal-batch", value},
                   "--steal-batch must be an integer from 1 to 1024");
}

TEST(BadInput, Values) {
  for (const auto* value : {"abc", "-1", "93", "1e3", ""})
    expect_refused(usage, {"run", "fib", "--n", value},
                   "fib --n must be an integer from 0 to 92, not '" + std::string(value) + "'");
  for (const auto* value : {"abc", "0", "100000", "-1"})
    expect_refused(usage, {"run", "fib", "--workers", value},
                   "--workers must be an integer from 1 to 1024");
  for (const auto* value : {"100", "16X", "16MB", "M", "-1M", "99999999999G", "1T", "1025G"})
    expect_refused(usage, {"run", "fib", "--stack-size", value},
                   "run --stack-size must be a number of bytes from 16K to 1024G");
  expect_refused(usage, {"run", "fib", "--repeat", "0"}, "--repeat must be");
  expect_refused(usage, {"run", "uts", "--tree", "T9"}, "uts --tree must be one of T1, T2");
  expect_refused(usage, {"run", "quicksort", "--order", "shuffled"}, "--order must be one of");
}

TEST(BadInput, EnvironmentVariables) {
  for (const auto* value : {"abc", "0", "100000", "-3", "2x"}) {
    const variable_set variable("HEIST_WORKERS", value);
    expect_refused(usage, {"run", "fib", "--n", "5"}, "HEIST_WORKERS");
    expect_refused(usage, {"info"}, "HEIST_WORKERS");
  }
  const variable_set variable("HEIST_STACK_SIZE", "12");
  expect_refused(usage, {"run", "fib", "--n", "5"}, "HEIST_STACK_SIZE");
}

TEST(BadInput, Files) {
  const heist_test::temporary_tree files;
  files.write("/empty", "");
  files.write("/binary", std::string("\x7f"
                                     "ELF\0\0",
                                     6));
  files.write("/two\nlines", "");
  const auto at = [&](const char* name) { return files.root() + name; };

  for (const auto& file : {at("/absent"), files.root(), at("/empty"), at("/binary")}) {
    expect_refused(refused, {"run", "wordcount", file}, file);
    expect_refused(refused, {"run", "quicksort", "--file", file}, file);
    expect_refused(refused, {"run", "mergesort", "--file", file}, file);
  }
  expect_refused(refused, {"run", "wordcount", at("/two\nlines")}, "is empty");
  expect_refused(refused, {"run", "mandelbrot", "--output", at("/no/such/folder.png")},
                 "No such file or directory");
  expect_refused(refused, {"run", "mandelbrot", "--output", files.root()}, "Is a directory");
}

TEST(BadInput, AFullDisk) {
  expect_refused(refused,
                 {"run", "mandelbrot", "--width", "300", "--height", "300", "--iterations", "50",
                  "--output", "/dev/full"},
                 "cannot write '/dev/full'");
}

TEST(BadInput, SizesThatDoNotFitTheMemory) {
  for (const auto* sort : {"quicksort", "mergesort"})
    expect_refused(refused, {"run", sort, "--size", "1000000000000000"},
                   "--size 1000000000000000 needs");
  expect_refused(refused, {"run", "matmul", "--n", "16777216"}, "matmul --n 16777216 needs");
  expect_refused(refused, {"run", "mandelbrot", "--width", "1000000", "--height", "1000000"},
                 "--width 1000000 --height 1000000 needs");
  expect_refused(refused, {"run", "wordcount", "--size", "1000000000000000"},
                 "--size 1000000000000000 needs");
}
