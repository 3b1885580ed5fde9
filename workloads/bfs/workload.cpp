#include <array>

#include <fmt/format.h>

#include "workloads/bfs/bfs.hpp"
#include "workloads/constructs.hpp"
#include "workloads/hashing.hpp"
#include "workloads/registry.hpp"

namespace heist::workloads {

namespace {

// Vertices with neighbours, at random; a graph without edges is searched from any vertex.
std::vector<vertex> random_sources(const graph& in, std::size_t count, std::uint64_t seed) {
  std::vector<vertex> sources;
  for (std::uint64_t tries = 0; sources.size() < count; ++tries) {
    const auto v = static_cast<vertex>(random_at(seed + 1, tries) % in.vertices());
    if (in.degree(v) != 0 || in.neighbours.empty()) sources.push_back(v);
  }
  return sources;
}

class bfs_instance final : public instance {
 public:
  bfs_instance(const rmat_settings& settings, std::size_t searches)
      : graph_(make_rmat_graph(settings)),
        sources_(random_sources(graph_, searches, settings.seed)),
        levels_(graph_.vertices()),
        queue_(graph_.vertices()),
        distances_(graph_.vertices() * searches) {
    reset();
  }

  void reset() override { std::fill(distances_.begin(), distances_.end(), unreached); }

  void run_serial() override {
    for (std::size_t i = 0; i < sources_.size(); ++i)
      search_breadth_first_serially(graph_, sources_[i], distances_of(i), queue_);
  }
  void run_with(const execution& how) override {
    run_with_loops(how, [&](auto fork) {
      for (std::size_t i = 0; i < sources_.size(); ++i)
        search_breadth_first(graph_, sources_[i], distances_of(i), levels_, fork);
    });
  }

  std::string result() const override {
    std::size_t reached = 0;
    distance farthest = 0;
    for (const auto each : distances_) {
      if (each == unreached) continue;
      ++reached;
      farthest = std::max(farthest, each);
    }
    return fmt::format("{} vertices, {} edges; {} searches reached {}, at most {} away",
                       graph_.vertices(), graph_.neighbours.size() / 2, sources_.size(), reached,
                       farthest);
  }
  std::uint64_t checksum() const override {
    return ordered_hash(std::span<const distance>(distances_));
  }

  std::optional<std::string> mistake() const override {
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const auto found = std::span(distances_).subspan(i * graph_.vertices(), graph_.vertices());
      if (auto wrong = mistake_in_distances(graph_, sources_[i], found)) return wrong;
    }
    return std::nullopt;
  }

  // Both directions of each edge of a reached vertex are looked at.
  work_count work() const override {
    double looks = 0;
    for (std::size_t i = 0; i < distances_.size(); ++i)
      if (distances_[i] != unreached)
        looks += static_cast<double>(graph_.degree(i % graph_.vertices()));
    return {looks / 2, "edges"};
  }

 private:
  [[nodiscard]] std::span<distance> distances_of(std::size_t search) {
    return std::span(distances_).subspan(search * graph_.vertices(), graph_.vertices());
  }

  graph graph_;
  std::vector<vertex> sources_;
  bfs_levels levels_;
  std::vector<vertex> queue_;        // of the serial program
  std::vector<distance> distances_;  // search after search
};

class bfs_workload final : public workload {
 public:
  std::string_view name() const override { return "bfs"; }
  std::string_view summary() const override {
    return "searches a random graph breadth-first: short and long levels, and claims that race";
  }
  profile describe() const override {
    return {.shape = "loops in rounds",
            .stresses = "loops from one vertex to most of them; vertices of very unequal degree",
            .source = "level-synchronous search; R-MAT graph of Graph 500",
            .has_only_loops = true};
  }
  std::vector<option_spec> options() const override {
    auto options = graph_options(18);
    options.push_back(integer_option("searches", "from different sources", 4, 1, 64));
    return options;
  }

  std::unique_ptr<instance> make(const option_values& values) const override {
    const auto searches = values.size("searches");
    const auto bytes_per_vertex = 3 * sizeof(vertex) + searches * sizeof(distance);
    return std::make_unique<bfs_instance>(chosen_graph(name(), values, bytes_per_vertex), searches);
  }
};

}  // namespace

std::unique_ptr<const workload> make_bfs() { return std::make_unique<bfs_workload>(); }

}  // namespace heist::workloads

// ---- bfs.hpp

namespace heist::workloads {

namespace {

// Vertices that one worker has claimed, until there are enough of them to touch the shared counter.
class claimed_vertices {
 public:
  explicit claimed_vertices(vertex_list& level) : level_(level) {}
  claimed_vertices(const claimed_vertices&) = delete;
  claimed_vertices& operator=(const claimed_vertices&) = delete;
  ~claimed_vertices() { flush(); }

  void add(vertex v) noexcept {
    if (size_ == kept_.size()) flush();
    kept_[size_++] = v;
  }

 private:
  void flush() noexcept {
    if (size_ != 0) level_.append({kept_.data(), size_});
    size_ = 0;
  }

  vertex_list& level_;
  std::size_t size_ = 0;
  std::array<vertex, 256> kept_;
};

// Claims a vertex for a level: true for one of those who try. It looks first, because most edges
// lead to a vertex that has been claimed long ago, and a failing compare-exchange would take the
// cache line from its readers. Both are relaxed: see bfs.hpp.
bool claim(distance& of, distance level) noexcept {
  const std::atomic_ref<distance> shared(of);
  distance seen = shared.load(std::memory_order_relaxed);
  return seen == unreached && shared.compare_exchange_strong(seen, level, std::memory_order_relaxed,
                                                             std::memory_order_relaxed);
}

}  // namespace

void claim_neighbours(const graph& in, std::span<const vertex> of, std::span<distance> distances,
                      distance level, vertex_list& next) {
  claimed_vertices claimed(next);
  distance* const distance_of = distances.data();
  for (const vertex v : of)
    for (const vertex neighbour : in.neighbours_of(v))
      if (claim(distance_of[neighbour], level)) claimed.add(neighbour);
}

void search_breadth_first_serially(const graph& in, vertex source, std::span<distance> distances,
                                   std::vector<vertex>& queue) {
  vertex* const first = queue.data();
  vertex* end = first;
  distances[source] = 0;
  *end++ = source;
  for (const vertex* at = first; at != end; ++at) {
    const distance level = distances[*at] + 1;
    for (const vertex neighbour : in.neighbours_of(*at)) {
      if (distances[neighbour] != unreached) continue;
      distances[neighbour] = level;
      *end++ = neighbour;
    }
  }
}

std::optional<std::string> mistake_in_distances(const graph& in, vertex source,
                                                std::span<const distance> distances) {
  if (distances[source] != 0)
    return fmt::format("the source {} is at distance {}", source, distances[source]);
  for (std::size_t v = 0; v < in.vertices(); ++v) {
    const distance own = distances[v];
    if (own == unreached) {
      for (const vertex neighbour : in.neighbours_of(v))
        if (distances[neighbour] != unreached)
          return fmt::format("vertex {} was not reached, its neighbour {} was", v, neighbour);
      continue;
    }
    bool has_nearer = own == 0 && v == source;
    for (const vertex neighbour : in.neighbours_of(v)) {
      if (distances[neighbour] > own + 1)
        return fmt::format("vertex {} is at distance {}, its neighbour {} at {}", v, own, neighbour,
                           distances[neighbour]);
      has_nearer = has_nearer || distances[neighbour] + 1 == own;
    }
    if (!has_nearer)
      return fmt::format("vertex {} is at distance {}, and no neighbour is nearer", v, own);
  }
  return std::nullopt;
}

}  // namespace heist::workloads
