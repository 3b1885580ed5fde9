// Runs workloads, each once with its forks: compiled for heist race it looks for their races. Built
// without, it times them as they are, for the ratio.
//
//   workloads [--times] [NAME...]
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/workload.hpp"

namespace {

struct sized {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string_view>> options;
};

const std::vector<sized>& all_sized() {
  static const std::vector<sized> all{
      {"fib", {{"n", "27"}}},
      {"nqueens", {{"n", "10"}}},
      {"quicksort", {{"size", "500000"}}},
      {"mergesort", {{"size", "500000"}}},
      {"matmul", {{"n", "256"}}},
      {"mandelbrot", {{"width", "300"}, {"height", "200"}}},
      {"wordcount", {{"size", "2000000"}}},
      {"uts", {{"tree", "T1"}}},
      {"knapsack", {{"items", "22"}}},
      {"graph_walk", {{"breadth", "100"}}},
      {"skynet", {{"leaves", "1000000"}}},
      {"cilksort", {{"size", "500000"}}},
      {"samplesort", {{"size", "500000"}}},
      {"strassen", {{"n", "256"}}},
      {"lu", {{"n", "256"}}},
      {"fft", {{"log-size", "17"}}},
      {"integrate", {{"digits", "9"}}},
      {"heat", {{"width", "256"}, {"height", "256"}, {"steps", "20"}}},
      {"cholesky", {{"n", "384"}}},
      {"barnes_hut", {{"bodies", "2000"}, {"steps", "1"}}},
      {"bfs", {{"scale", "12"}}},
      {"pagerank", {{"scale", "11"}, {"iterations", "5"}}},
      {"kmeans", {{"points", "5000"}, {"rounds", "3"}}},
      {"filter", {{"width", "300"}, {"height", "200"}, {"passes", "3"}}},
      {"particles", {{"particles", "4000"}, {"side", "20"}, {"steps", "5"}}},
      {"mesh", {{"side", "8"}, {"steps", "20"}}},
      {"shortest_paths", {{"scale", "11"}}},
      {"empty_jobs", {{"jobs", "10000"}, {"rounds", "3"}}},
      {"job_loop", {{"elements", "10000"}, {"rounds", "20"}}},
  };
  return all;
}

double seconds_of(heist::workloads::instance& i) {
  const auto begin = std::chrono::steady_clock::now();
  i.run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The exit code.
int run(const sized& s, bool times) {
  const heist::workloads::workload* const w = heist::workloads::find(s.name);
  if (w == nullptr) {
    std::fprintf(stderr, "no workload %s\n", std::string(s.name).c_str());
    return 1;
  }
  heist::workloads::option_values values(w->name(), w->options());
  for (const auto& [name, value] : s.options) values.set(name, value);
  const auto instance = w->make(values);
  instance->reset();
  double best = seconds_of(*instance);
  if (times) {
    instance->reset();
    best = std::min(best, seconds_of(*instance));
  }
  if (const auto mistake = instance->mistake()) {
    std::fprintf(stderr, "%s: %s\n", std::string(s.name).c_str(), mistake->c_str());
    return 1;
  }
  std::printf("%-16s %9.6f\n", std::string(s.name).c_str(), best);
  std::fflush(stdout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  bool times = false;
  std::vector<std::string_view> names(argv + 1, argv + argc);
  if (!names.empty() && names.front() == "--times") {
    times = true;
    names.erase(names.begin());
  }
  int code = 0;
  for (const sized& s : all_sized()) {
    bool is_wanted = names.empty();
    for (const std::string_view name : names) is_wanted = is_wanted || name == s.name;
    if (is_wanted) code |= run(s, times);
  }
  return code;
}
