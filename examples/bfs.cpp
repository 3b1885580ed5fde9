// Breadth-first search, level by level: all vertices of a level are visited in parallel, and the
// vertices that they find form the next level. No list is shared: a scan gives every vertex its own
// places in an array, as many as it has neighbours, and places that remain empty are dropped.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include <heist/heist.hpp>

namespace {

using vertex = std::uint32_t;
constexpr vertex nobody = ~vertex{0};
constexpr int unseen = -1;

// The neighbours of v are neighbours[first[v]] to neighbours[first[v + 1] - 1].
struct graph {
  std::vector<std::size_t> first{0};
  std::vector<vertex> neighbours;

  [[nodiscard]] std::size_t size() const { return first.size() - 1; }
  [[nodiscard]] std::size_t degree(vertex v) const { return first[v + 1] - first[v]; }
};

// Makes a graph in which most vertices have few edges, and some have many.
graph make_graph(vertex n) {
  std::mt19937 random(7);
  graph g;
  for (vertex v = 0; v < n; ++v) {
    for (auto edges = random() % 1000 == 0 ? 1500 : random() % 7; edges > 0; --edges)
      g.neighbours.push_back(vertex(random() % n));
    g.first.push_back(g.neighbours.size());
  }
  return g;
}

std::vector<int> levels_in_parallel(const graph& g, vertex start) {
  std::vector<int> level(g.size(), unseen);
  level[start] = 0;
  std::vector<vertex> frontier{start};
  for (int depth = 1; !frontier.empty(); ++depth) {
    std::vector<std::size_t> places(frontier.size());
    heist::transform(frontier, places.begin(), [&](vertex v) { return g.degree(v); });
    const std::size_t last = places.back();
    heist::exclusive_scan(places, places.begin(), std::size_t{0});
    std::vector<vertex> found(places.back() + last, nobody);

    heist::parallel_for(std::size_t{0}, frontier.size(), [&](std::size_t i) {
      std::size_t place = places[i];
      for (std::size_t k = g.first[frontier[i]]; k < g.first[frontier[i] + 1]; ++k, ++place) {
        const vertex v = g.neighbours[k];
        std::atomic_ref<int> its_level(level[v]);
        int seen = its_level.load(std::memory_order_relaxed);
        // Relaxed: it matters only that exactly one is the first; the loop's end orders everything
        // else.
        if (seen == unseen &&
            its_level.compare_exchange_strong(seen, depth, std::memory_order_relaxed,
                                              std::memory_order_relaxed))
          found[place] = v;
      }
    });
    frontier.resize(found.size());
    const auto end = heist::copy_if(found, frontier.begin(), [](vertex v) { return v != nobody; });
    frontier.erase(end, frontier.end());
  }
  return level;
}

std::vector<int> levels_serially(const graph& g, vertex start) {
  std::vector<int> level(g.size(), unseen);
  level[start] = 0;
  std::vector<vertex> queue{start};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (std::size_t k = g.first[queue[i]]; k < g.first[queue[i] + 1]; ++k) {
      const vertex v = g.neighbours[k];
      if (level[v] != unseen) continue;
      level[v] = level[queue[i]] + 1;
      queue.push_back(v);
    }
  }
  return level;
}

}  // namespace

int main() {
  const graph g = make_graph(200'000);
  const std::vector<int> level = levels_in_parallel(g, 0);
  const auto reached = heist::count_if(level, [](int l) { return l != unseen; });
  const int deepest = *heist::max_element(level);
  const bool is_same = level == levels_serially(g, 0);
  std::printf("%zu edges: %td of %zu vertices reached, the last at level %d; %s\n",
              g.neighbours.size(), std::ptrdiff_t(reached), g.size(), deepest,
              is_same ? "the serial search finds the same" : "THE SERIAL SEARCH DISAGREES");
  return is_same ? 0 : 1;
}
