#include "bench/space/marked_workloads.hpp"

#include <filesystem>

#include "bench/memory/child.hpp"

namespace heist::bench {

std::vector<marked_workload> marked_workloads(scale of) {
  const bool quick = of == scale::quick;
  const auto size = [quick](const char* full, const char* less) {
    return std::string(quick ? less : full);
  };
  std::vector<marked_workload> all = {
      {"fib", {"n", size("25", "15")}},
      {"nqueens", {"n", size("11", "7")}},
      {"quicksort", {"size", size("200000", "5000")}},
      {"mergesort", {"size", size("200000", "5000")}},
      {"matmul", {"n", size("256", "60")}},
      {"mandelbrot", {"width", size("300", "40"), "height", size("200", "30")}},
      {"wordcount", {"size", size("1000000", "20000")}}};
  // The sample trees have four million nodes.
  if (!quick) all.push_back({"uts", {"tree", "T1"}});
  return all;
}

extents marked_workload::measure(const std::string& probe, unsigned workers) const {
  std::vector<std::string> arguments = {name, std::to_string(workers)};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const auto printed = output_of(probe, arguments);
  if (number_in(printed, "right") != 1) throw wrong_result(name + ": not the serial result");
  const auto number = [&printed](const char* key) {
    return static_cast<double>(number_in(printed, key));
  };
  return {number("marked"), number("largest"), number("stacks")};
}

std::string find_space_probe() {
  const auto beside =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "heist-space-probe";
  return std::filesystem::exists(beside) ? beside.string() : std::string();
}

}  // namespace heist::bench
