#include "bench/suite/suites.hpp"

#include <algorithm>

namespace heist::bench {

namespace {

suite multiprogramming() {
  return {"multiprogramming",
          "more workers than processors, beside a process that spins",
          {{"fib", {"n=38"}, {"n=18"}},
           {"nqueens", {"n=14", "cutoff=4"}, {"n=8", "cutoff=2"}},
           {"uts", {"tree=T3"}, {"tree=tiny"}}},
          1,
          8,
          "Arora, Blumofe and Plaxton 1998, section 5"};
}

// At the sizes at which libraries of this kind publish their figures for machines of 64 processors.
suite field() {
  return {
      "field",
      "heist from one worker to all processors: forks, a flat tree, a search, a product, a walk",
      {{"fib", {"n=39"}, {"n=18"}},
       {"skynet", {"leaves=100000000"}, {"leaves=1000"}},
       {"nqueens", {"n=14", "cutoff=7"}, {"n=8", "cutoff=2"}},
       {"matmul", {"n=2048"}, {"n=64"}},
       {"uts", {"tree=T1"}, {"tree=tiny"}}},
      0,
      0,
      {},
      true};
}

suite documents() {
  return {
      "documents",
      "the programs of the documents, at their sizes",
      {{"fib", {"n=35"}, {"n=16"}, true},
       {"knapsack", {"items=26"}, {"items=12"}},
       {"matmul", {"n=256"}, {"n=64"}},
       {"mergesort", {"size=16777216"}, {"size=20000"}},
       {"mergesort", {"size=16777216", "order=exponential"}, {"size=20000", "order=exponential"}},
       {"graph_walk", {"breadth=300", "depth=3"}, {"breadth=10", "work=10"}},
       {"quicksort", {"size=4000000"}, {"size=20000"}},
       {"mandelbrot", {"width=600", "height=400"}, {"width=64", "height=48"}},
       {"empty_jobs", {"jobs=65000", "rounds=5"}, {"jobs=500", "rounds=2"}, true},
       {"job_loop", {"rounds=200"}, {"elements=2000", "rounds=2"}}},
      0,
      0,
      "a work-stealing scheduler with multi-task steals (the first six); CS149, lecture 5; Job "
      "System 2.0, part 3"};
}

}  // namespace

// The sizes let a rival that needs microseconds for a fork end within some seconds.
const std::vector<suite>& suites() {
  static const std::vector<suite> all = {
      {"classic",
       "the programs that fork-join runtimes are measured with",
       {{"fib", {"n=31"}, {"n=16"}, true},
        {"skynet", {}, {"leaves=1000"}, true},
        {"nqueens", {"n=13", "cutoff=4"}, {"n=7", "cutoff=2"}, true},
        {"integrate", {"digits=9"}, {"digits=5"}, true},
        {"knapsack", {}, {"items=12"}},
        {"uts", {"tree=T3"}, {"tree=tiny"}},
        {"graph_walk", {}, {"breadth=10", "work=10"}},
        {"matmul", {"n=512"}, {"n=64"}},
        {"strassen", {"n=512"}, {"n=64", "cutoff=16"}},
        {"lu", {"n=768"}, {"n=64", "base=16"}},
        {"cholesky", {"n=1024"}, {"n=64", "base=16"}},
        {"fft", {"log-size=20"}, {"log-size=10", "cutoff=64"}},
        {"wordcount", {}, {"size=20000", "cutoff=500"}}}},
      {"loops",
       "loops over rows, cells, points and vertices",
       {{"mandelbrot", {"width=600", "height=400"}, {"width=64", "height=48"}},
        {"heat", {"steps=100"}, {"width=64", "height=64", "steps=4"}},
        {"filter", {}, {"width=100", "height=100", "passes=2"}},
        {"kmeans", {"rounds=5"}, {"points=2000", "rounds=2"}},
        {"barnes_hut", {"steps=1"}, {"bodies=200", "steps=1"}},
        {"particles", {"steps=10"}, {"particles=1000", "side=8", "steps=2"}},
        {"mesh", {"steps=100"}, {"side=6", "steps=6"}},
        {"job_loop", {"rounds=200"}, {"elements=2000", "rounds=2"}},
        {"empty_jobs", {"rounds=5"}, {"jobs=500", "rounds=2"}, true}}},
      {"graphs",
       "graphs that are walked, searched and ranked, and a factorisation tile by tile",
       {{"bfs", {"scale=17"}, {"scale=8"}},
        {"pagerank", {"scale=16"}, {"scale=8", "iterations=3"}},
        {"shortest_paths", {"scale=16"}, {"scale=8"}},
        {"graph_walk", {}, {"breadth=10", "work=10"}},
        {"cholesky", {"n=1024", "form=tiled"}, {"n=64", "base=16", "form=tiled"}}}},
      {"sorting",
       "sorts of four million integers, and the words of a text",
       {{"quicksort", {"size=4000000"}, {"size=20000"}},
        {"mergesort", {"size=4000000"}, {"size=20000"}},
        {"mergesort", {"size=4000000", "order=exponential"}, {"size=20000", "order=exponential"}},
        {"cilksort", {"size=4000000"}, {"size=20000"}},
        {"samplesort", {"size=4000000"}, {"size=20000"}}}},
      multiprogramming(),
      documents(),
      field(),
      {"check",
       "small sizes, to be held against a baseline with --check",
       {{"fib", {"n=34"}, {"n=16"}, true},
        {"skynet", {"leaves=1000000"}, {"leaves=1000"}, true},
        {"nqueens", {"n=13", "cutoff=4"}, {"n=7", "cutoff=2"}, true},
        {"mergesort", {"size=400000"}, {"size=20000"}},
        {"matmul", {"n=384"}, {"n=64"}},
        {"mandelbrot", {"width=200", "height=150"}, {"width=64", "height=48"}},
        {"job_loop", {"rounds=200"}, {"elements=2000", "rounds=2"}}}},
  };
  return all;
}

const suite* find_suite(std::string_view name) {
  const auto found = std::find_if(suites().begin(), suites().end(),
                                  [&](const suite& each) { return each.name == name; });
  return found == suites().end() ? nullptr : &*found;
}

}  // namespace heist::bench
