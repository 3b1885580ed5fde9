#include "workloads/bfs/bfs.hpp"

#include <array>

#include <fmt/format.h>

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
