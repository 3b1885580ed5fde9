#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "workloads/constructs.hpp"
#include "workloads/hashing.hpp"
#include "workloads/pagerank/pagerank.hpp"
#include "workloads/registry.hpp"

namespace heist::workloads {

namespace {

class pagerank_instance final : public instance {
 public:
  pagerank_instance(const rmat_settings& settings, std::size_t iterations)
      : graph_(make_rmat_graph(settings)), iterations_(iterations), state_(graph_) {}

  void reset() override { state_.reset(); }
  void run_serial() override { rank_pages(state_, iterations_, serially{}); }
  void run_with(const execution& how) override {
    run_with_loops(how, [&](auto fork) { rank_pages(state_, iterations_, fork); });
  }

  std::string result() const override {
    const auto highest = std::max_element(state_.ranks.begin(), state_.ranks.end());
    return fmt::format("{} vertices, {} edges, {} iterations; vertex {} has rank {:.6g}",
                       graph_.vertices(), graph_.neighbours.size() / 2, iterations_,
                       highest - state_.ranks.begin(), *highest);
  }
  std::uint64_t checksum() const override { return hash_of_bits(state_.ranks); }

  // The probabilities add up to 1. The last iteration is repeated by pushing: each vertex gives to
  // its neighbours, in another order of the sums.
  std::optional<std::string> mistake() const override {
    double sum = 0;
    for (const double rank : state_.ranks) sum += rank;
    if (!(std::abs(sum - 1) < 1e-9)) return fmt::format("the ranks add up to {}", sum);
    if (state_.iterations != iterations_)
      return fmt::format("{} iterations instead of {}", state_.iterations, iterations_);
    if (iterations_ == 0) return std::nullopt;
    std::vector<double> pushed(graph_.vertices());
    double given = 0;
    for (std::size_t v = 0; v < pushed.size(); ++v)
      for (const vertex neighbour : graph_.neighbours_of(v)) {
        pushed[neighbour] += state_.gave[v];
        given += state_.gave[v];
      }
    const double jumps = (1 - given) / static_cast<double>(pushed.size());
    for (std::size_t v = 0; v < pushed.size(); ++v) {
      const double expected = jumps + pushed[v];
      if (!(std::abs(state_.ranks[v] - expected) <= 1e-9 * expected))
        return fmt::format("vertex {} has rank {}, not {}", v, state_.ranks[v], expected);
    }
    return std::nullopt;
  }

  work_count work() const override {
    return {static_cast<double>(graph_.neighbours.size()) * static_cast<double>(iterations_),
            "edges pulled"};
  }

 private:
  graph graph_;
  std::size_t iterations_;
  page_ranks state_;
};

class pagerank_workload final : public workload {
 public:
  std::string_view name() const override { return "pagerank"; }
  std::string_view summary() const override {
    return "ranks the vertices of a random graph: iterations of very unequal cost, little "
           "arithmetic";
  }
  profile describe() const override {
    return {.shape = "loops in rounds",
            .stresses = "iterations that cost as much as a vertex has edges; cache misses",
            .source = "Page et al. 1999; R-MAT graph of Graph 500",
            .has_only_loops = true};
  }
  std::vector<option_spec> options() const override {
    auto options = graph_options(17);
    options.push_back(integer_option("iterations", "of the algorithm", 20, 0, 1'000'000));
    return options;
  }

  std::unique_ptr<instance> make(const option_values& values) const override {
    constexpr auto bytes_per_vertex = 4 * sizeof(double) + sizeof(vertex);
    return std::make_unique<pagerank_instance>(chosen_graph(name(), values, bytes_per_vertex),
                                               values.size("iterations"));
  }
};

}  // namespace

std::unique_ptr<const workload> make_pagerank() { return std::make_unique<pagerank_workload>(); }

}  // namespace heist::workloads

// ---- pagerank.hpp

namespace heist::workloads {

page_ranks::page_ranks(const graph& in)
    : on(&in),
      part_of_degree(in.vertices()),
      ranks(in.vertices()),
      gives(in.vertices()),
      gave(in.vertices()) {
  for (std::size_t v = 0; v < in.vertices(); ++v) {
    if (in.degree(v) == 0)
      lonely.push_back(static_cast<vertex>(v));
    else
      part_of_degree[v] = damping / static_cast<double>(in.degree(v));
  }
  reset();
}

void page_ranks::reset() {
  iterations = 0;
  const double equal = 1 / static_cast<double>(ranks.size());
  std::fill(ranks.begin(), ranks.end(), equal);
  for (std::size_t v = 0; v < ranks.size(); ++v) gives[v] = equal * part_of_degree[v];
  std::fill(gave.begin(), gave.end(), 0.0);
}

double page_ranks::by_jumps() const {
  const double from_lonely =
      lonely.empty() ? 0 : static_cast<double>(lonely.size()) * ranks[lonely.front()];
  return (1 - damping + damping * from_lonely) / static_cast<double>(ranks.size());
}

void page_ranks::pull(std::size_t part, double jumps) {
  const double* const from = gave.data();
  const std::size_t last = std::min(ranks.size(), (part + 1) * vertices_of_a_part);
  for (std::size_t v = part * vertices_of_a_part; v < last; ++v) {
    double sum = jumps;
    for (const vertex neighbour : on->neighbours_of(v)) sum += from[neighbour];
    ranks[v] = sum;
    gives[v] = sum * part_of_degree[v];
  }
}

}  // namespace heist::workloads
