// Breadth-first search: the distance of every vertex from a source, in edges. It goes level by
// level: a parallel loop over the vertices of one level claims their neighbours for the next one.
// Levels are short at first, then hold most of the graph, then are short again, so the parallelism
// changes within a run.
//
// Protocol. During a level, several workers may find the same vertex. Its distance is the only
// thing that they share, and each of them would write the same number. A compare-exchange from
// `unreached` decides which of them puts the vertex into the next level, so each vertex is there
// once. The order within a level depends on who came first; the distances do not.
// 1. A distance changes once, from `unreached` to the level of the vertex.
// 2. A place of the next level is written by the worker that got it from the counter, and by no
//    other.
// 3. A level is read only after the loop that made it has ended.
// All operations are relaxed: by 1, a distance that is read too early is `unreached`, and the
// compare-exchange then tells the present one; no other data is reached through a distance; and
// the end of a loop makes everything that was written in it visible to what follows (3).
//
// C. Leiserson, T. Schardl: A Work-Efficient Parallel Breadth-First Search Algorithm (SPAA 2010)
// divides levels in the same way. It keeps them in bags of its own, where a claim need not be
// atomic; here, a level is an array.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "workloads/forkers.hpp"
#include "workloads/graph/graph.hpp"

namespace heist::workloads {

using distance = std::uint32_t;
inline constexpr distance unreached = std::numeric_limits<distance>::max();

// The vertices of a level, which several workers append to.
class vertex_list {
 public:
  explicit vertex_list(std::size_t capacity) : vertices_(capacity) {}

  void clear() noexcept { size_.store(0, std::memory_order_relaxed); }

  // Relaxed, because the counter only gives out places (2).
  void append(std::span<const vertex> added) noexcept {
    const auto at = size_.fetch_add(added.size(), std::memory_order_relaxed);
    std::copy(added.begin(), added.end(), vertices_.data() + at);
  }

  // After the loop that appends. Relaxed, because the loop's end orders this after it (3).
  [[nodiscard]] std::span<const vertex> all() const noexcept {
    return {vertices_.data(), size_.load(std::memory_order_relaxed)};
  }

 private:
  std::vector<vertex> vertices_;
  std::atomic<std::size_t> size_{0};
};

// The vertices of two levels: the present one and the next.
struct bfs_levels {
  explicit bfs_levels(std::size_t vertices) : present(vertices), next(vertices) {}
  vertex_list present, next;
};

// Claims the neighbours of some vertices for the next level.
void claim_neighbours(const graph& in, std::span<const vertex> of, std::span<distance> distances,
                      distance level, vertex_list& next);

// One part of a level. A part is not divided, and neither are the neighbours of a vertex.
inline constexpr std::size_t vertices_of_a_part = 64;

// All distances must be `unreached`.
template <class Fork>
void search_breadth_first(const graph& in, vertex source, std::span<distance> distances,
                          bfs_levels& levels, Fork fork) {
  vertex_list* present = &levels.present;
  vertex_list* next = &levels.next;
  present->clear();
  present->append({&source, 1});
  distances[source] = 0;
  for (distance level = 1; !present->all().empty(); ++level) {
    next->clear();
    const auto vertices = present->all();
    const auto parts = (vertices.size() + vertices_of_a_part - 1) / vertices_of_a_part;
    fork.loop(parts, 1, [&in, vertices, distances, level, next](std::size_t part) {
      const auto first = part * vertices_of_a_part;
      const auto count = std::min(vertices_of_a_part, vertices.size() - first);
      claim_neighbours(in, vertices.subspan(first, count), distances, level, *next);
    });
    std::swap(present, next);
  }
}

// The same without a runtime: a queue in one array, and no atomics.
void search_breadth_first_serially(const graph& in, vertex source, std::span<distance> distances,
                                   std::vector<vertex>& queue);

// What is wrong with these distances from a source, as Graph 500 checks it: neighbours differ by
// one at most, or are both unreached, and every vertex but the source has a nearer neighbour.
[[nodiscard]] std::optional<std::string> mistake_in_distances(const graph& in, vertex source,
                                                              std::span<const distance> distances);

}  // namespace heist::workloads
