#include <algorithm>
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

}  // namespace

void graph_table(results& into, participants& by, std::size_t nodes, const settings& with) {
  const auto of = random_dependencies(nodes);
  const auto ran = std::make_shared<std::vector<std::uint8_t>>(nodes);
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
  }
}

}  // namespace heist::bench::api
