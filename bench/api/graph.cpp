#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <random>

#include <fmt/format.h>

#include "bench/api/tables.hpp"

namespace heist::bench::api {

namespace {

constexpr double rival_limit = 1.0 / 3;

// Each task except the first depends on two earlier ones, drawn at random, which may be equal.
std::shared_ptr<std::vector<dependencies>> random_dependencies(std::size_t nodes) {
  std::mt19937_64 random(1);
  auto all = std::make_shared<std::vector<dependencies>>(nodes);
  for (std::size_t i = 1; i < nodes; ++i)
    (*all)[i] = {static_cast<std::uint32_t>(random() % i),
                 static_cast<std::uint32_t>(random() % i)};
  return all;
}

// The memory of the process that is resident, in bytes.
double resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  double all = 0;
  double resident = 0;
  statm >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// The bytes that a graph which has run keeps for each task. To be called before other graphs have
// come and gone: their memory may still be the allocator's.
void append_memory(std::vector<row>& rows, const std::vector<dependencies>& of, std::uint8_t* ran,
                   const kernels& by) {
  if (by.graph == nullptr) return;
  double bytes = 0;
  by.within(1, [&] {
    const double before = resident_bytes();
    const auto g = by.graph(of, ran);
    g->run();
    bytes = resident_bytes() - before;
  });
  rows.push_back({fmt::format("graph of {} tasks, memory: {}", of.size(), by.name),
                  {{"a task", "bytes", samples({bytes / static_cast<double>(of.size())})}},
                  ""});
}

target faster_on_all(const participants::played& f) {
  return {f.of->name() + ", heist on 1 worker to heist on all",           "", bound::at_least, 1,
          ratio(f.ours_on_one->results, f.ours_on_all->results).median(), ""};
}

}  // namespace

void graph_table(results& into, participants& by, std::size_t nodes, const settings& with) {
  const auto of = random_dependencies(nodes);
  const auto ran = std::make_shared<std::vector<std::uint8_t>>(nodes);
  append_memory(into.rows, *of, ran->data(), by.ours);
  for (const auto& each : by.rivals) append_memory(into.rows, *of, ran->data(), each);
  problem again{fmt::format("graph of {} tasks, run again", nodes),
                [=] { std::fill(ran->begin(), ran->end(), std::uint8_t{0}); },
                [=](const kernels& k) -> std::function<void()> {
                  if (k.graph == nullptr) return {};
                  return [g = std::shared_ptr(k.graph(*of, ran->data()))] { g->run(); };
                },
                [=] { return fingerprint(*ran); }};
  problem made = again;
  again.warmed_up = true;
  made.name = fmt::format("graph of {} tasks, made and run", nodes);
  made.task = [=](const kernels& k) -> std::function<void()> {
    if (k.graph == nullptr) return {};
    return [=, make = k.graph] { make(*of, ran->data())->run(); };
  };
  for (auto* const what : {&again, &made}) {
    const auto f = by.play(*what, with);
    f.of->append_rows(into.rows);
    into.targets.push_back(against_rivals(f, rival_limit));
    if (by.workers > 1) into.targets.push_back(faster_on_all(f));
  }
}

}  // namespace heist::bench::api
