// Shortest paths from a source in a random graph whose edges have lengths.
//
// The serial program is Dijkstra's. The parallel one goes in rounds over a list of vertices whose
// distance has become less: a loop over them relaxes their edges, and what is improved is in the
// list of the next round. Vertices beyond a bound wait in a second list until all nearer ones are
// done; then the bound moves on by `delta`. With a large delta there are long loops and vertices
// that are relaxed several times, with a small one short loops and less work.
//
// Protocol. Several workers may improve the distance of one vertex in a round: each does so by
// compare-exchange from a greater distance, so distances only fall. The one that is first to set
// the vertex's mark to the round's number (of the second list: to the bound's) puts it on the list,
// so it is there once. What was
// improved in a round is read in the next one, and the end of a loop makes it visible; therefore
// all operations are relaxed, and a greater distance that is read too early is corrected then.
//
// U. Meyer, P. Sanders: Delta-stepping, a parallelizable shortest path algorithm (Journal of
// Algorithms 49, 2003); the two lists as in A. Davidson et al.: Work-efficient parallel GPU methods
// for single-source shortest paths (IPDPS 2014).
#include <functional>
#include <queue>

#include <fmt/format.h>

#include "workloads/bfs/bfs.hpp"
#include "workloads/constructs.hpp"
#include "workloads/hashing.hpp"
#include "workloads/registry.hpp"

namespace heist::workloads {

namespace {

using length = std::uint64_t;
constexpr length no_path = std::numeric_limits<length>::max();
constexpr std::uint64_t longest_edge = 255;

// Lengths belong to pairs of vertices, so both directions of an edge have the same.
length length_of(vertex a, vertex b) {
  const auto [low, high] = std::minmax(a, b);
  return 1 + random_at(low, high) % longest_edge;
}

// A list on which a vertex is put once in a round.
struct marked_list {
  explicit marked_list(std::size_t count) : vertices(count), marks(count) {}

  void add(vertex v, std::uint32_t round) {
    const std::atomic_ref<std::uint32_t> mark(marks[v]);
    if (mark.load(std::memory_order_relaxed) != round &&
        mark.exchange(round, std::memory_order_relaxed) != round)
      vertices.append({&v, 1});
  }
  void reset() { std::fill(marks.begin(), marks.end(), 0U); }

  vertex_list vertices;
  std::vector<std::uint32_t> marks;
};

class search {
 public:
  search(const graph& in, length delta)
      : in_(in),
        delta_(delta),
        near_{marked_list(in.vertices()), marked_list(in.vertices())},
        far_{marked_list(in.vertices()), marked_list(in.vertices())} {}

  // All distances must be no_path.
  template <class Fork>
  void run(vertex source, std::span<length> distances, const Fork& fork) {
    for (auto* each : {&near_[0], &near_[1], &far_[0], &far_[1]}) {
      each->vertices.clear();
      each->reset();
    }
    distances[source] = 0;
    std::uint32_t round = 1, phase = 1;  // marks of what is near, and of what is far
    near_[0].add(source, round);
    unsigned near = 0, far = 0;  // the one of each two lists that is in use
    for (length bound = delta_;; bound += delta_) {
      for (; !near_[near].vertices.all().empty(); near = 1 - near) {
        ++round;
        near_[1 - near].vertices.clear();
        for_parts(near_[near].vertices.all(), fork, [&, near, far, round, phase, bound](vertex v) {
          for_improved(v, distances, [&](vertex improved, length found) {
            if (found < bound)
              near_[1 - near].add(improved, round);
            else
              far_[far].add(improved, phase);
          });
        });
      }
      if (far_[far].vertices.all().empty()) return;
      ++round;
      ++phase;
      near_[near].vertices.clear();
      far_[1 - far].vertices.clear();
      for_parts(far_[far].vertices.all(), fork, [&, near, far, round, phase, bound](vertex v) {
        const length own = distances[v];
        if (own < bound) return;  // it has been near, and is done
        if (own < bound + delta_)
          near_[near].add(v, round);
        else
          far_[1 - far].add(v, phase);
      });
      far = 1 - far;
    }
  }

 private:
  static constexpr std::size_t vertices_of_a_part = 32;

  template <class Fork, class Function>
  static void for_parts(std::span<const vertex> all, const Fork& fork, const Function& each) {
    const auto parts = (all.size() + vertices_of_a_part - 1) / vertices_of_a_part;
    fork.loop(parts, 1, [all, &each](std::size_t part) {
      const auto first = part * vertices_of_a_part;
      for (std::size_t i = first; i < std::min(all.size(), first + vertices_of_a_part); ++i)
        each(all[i]);
    });
  }

  template <class Function>
  void for_improved(vertex v, std::span<length> distances, const Function& improved) const {
    const length own = std::atomic_ref<length>(distances[v]).load(std::memory_order_relaxed);
    for (const vertex neighbour : in_.neighbours_of(v)) {
      const length found = own + length_of(v, neighbour);
      const std::atomic_ref<length> there(distances[neighbour]);
      length seen = there.load(std::memory_order_relaxed);
      while (found < seen && !there.compare_exchange_weak(seen, found, std::memory_order_relaxed,
                                                          std::memory_order_relaxed)) {
      }
      if (found < seen) improved(neighbour, found);
    }
  }

  const graph& in_;
  const length delta_;
  std::array<marked_list, 2> near_, far_;
};

void search_serially(const graph& in, vertex source, std::span<length> distances) {
  using entry = std::pair<length, vertex>;
  std::priority_queue<entry, std::vector<entry>, std::greater<>> open;
  distances[source] = 0;
  open.emplace(0, source);
  while (!open.empty()) {
    const auto [own, v] = open.top();
    open.pop();
    if (own != distances[v]) continue;  // it was improved after it had been put there
    for (const vertex neighbour : in.neighbours_of(v)) {
      const length found = own + length_of(v, neighbour);
      if (found >= distances[neighbour]) continue;
      distances[neighbour] = found;
      open.emplace(found, neighbour);
    }
  }
}

class paths_instance final : public instance {
 public:
  paths_instance(const rmat_settings& settings, length delta)
      : graph_(make_rmat_graph(settings)), search_(graph_, delta), distances_(graph_.vertices()) {
    for (vertex v = 0; v < graph_.vertices(); ++v)
      if (graph_.degree(v) > graph_.degree(source_)) source_ = v;
    reset();
  }

  void reset() override { std::fill(distances_.begin(), distances_.end(), no_path); }
  void run_serial() override { search_serially(graph_, source_, distances_); }
  void run_with(const execution& how) override {
    run_with_loops(how, [&](auto fork) { search_.run(source_, distances_, fork); });
  }

  std::string result() const override {
    std::size_t reached = 0;
    length farthest = 0;
    for (const length each : distances_) {
      if (each == no_path) continue;
      ++reached;
      farthest = std::max(farthest, each);
    }
    return fmt::format("{} vertices, {} edges; {} reached, at most {} away", graph_.vertices(),
                       graph_.neighbours.size() / 2, reached, farthest);
  }
  std::uint64_t checksum() const override {
    return ordered_hash(std::span<const length>(distances_));
  }

  // No edge is a short cut, and each vertex that was reached has an edge on its path.
  std::optional<std::string> mistake() const override {
    for (vertex v = 0; v < graph_.vertices(); ++v) {
      bool has_edge = v == source_ || distances_[v] == no_path;
      for (const vertex neighbour : graph_.neighbours_of(v)) {
        if (distances_[neighbour] == no_path) continue;
        const length by_it = distances_[neighbour] + length_of(v, neighbour);
        if (by_it < distances_[v])
          return fmt::format("vertex {} is {} away, by {} only {}", v, distances_[v], neighbour,
                             by_it);
        has_edge = has_edge || by_it == distances_[v];
      }
      if (!has_edge) return fmt::format("vertex {} is {} away by no edge", v, distances_[v]);
    }
    return std::nullopt;
  }

  work_count work() const override {
    return {static_cast<double>(graph_.neighbours.size()) / 2, "edges"};
  }

 private:
  graph graph_;
  search search_;
  vertex source_ = 0;  // the one with the most neighbours
  std::vector<length> distances_;
};

class paths_workload final : public workload {
 public:
  std::string_view name() const override { return "shortest_paths"; }
  std::string_view summary() const override {
    return "finds shortest paths in a random graph: work that depends on the order of the work";
  }
  profile describe() const override {
    return {.shape = "loops in rounds",
            .stresses = "loops from one vertex to most of them, and work that the order decides",
            .source = "delta-stepping, Meyer and Sanders 2003; R-MAT graph of Graph 500",
            .has_only_loops = true};
  }
  std::vector<option_spec> options() const override {
    auto options = graph_options(17);
    options.push_back(integer_option("delta", "by which the bound moves on", 64, 1, 1 << 30));
    return options;
  }

  std::unique_ptr<instance> make(const option_values& values) const override {
    const auto bytes_per_vertex = 4 * (sizeof(vertex) + sizeof(std::uint32_t)) + sizeof(length);
    return std::make_unique<paths_instance>(chosen_graph(name(), values, bytes_per_vertex),
                                            values.size("delta"));
  }
};

}  // namespace

std::unique_ptr<const workload> make_shortest_paths() { return std::make_unique<paths_workload>(); }

}  // namespace heist::workloads
