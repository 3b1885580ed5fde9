// The programs that the soak runs: trees of nested constructs, drawn from a seed, whose result a
// serial walk computes.
//
// A node is a hash. It determines the construct at the node (construct.hpp), the number of its
// children and the children themselves. Its value is the sum of its own hash and its children's
// values, so that the order in which they end makes no difference.
#pragma once

#include <atomic>
#include <cstdint>

#include "heist/pool.hpp"

namespace heist_soak {

constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E37'79B9'7F4A'7C15ULL;
  x = (x ^ x >> 30) * 0xBF58'476D'1CE4'E5B9ULL;
  x = (x ^ x >> 27) * 0x94D0'49BB'1331'11EBULL;
  return x ^ x >> 31;
}

// The exception that a faulty node throws. The class counts its living objects.
struct fault {
  explicit fault(std::uint64_t n) : node(n) { alive.fetch_add(1, std::memory_order_relaxed); }
  fault(const fault& f) : fault(f.node) {}
  ~fault() { alive.fetch_sub(1, std::memory_order_relaxed); }
  fault& operator=(const fault&) = default;
  std::uint64_t node;
  static inline std::atomic<long> alive{0};
};

// A check that failed, which ends the soak.
[[noreturn]] void fail(const char* what, std::uint64_t node);

// Deliberate mistakes that the soak must find, which shows that it works.
enum class plant : std::uint8_t { nothing, hang, twice };

struct program {
  heist::pool& first;
  heist::pool& second;
  std::uint64_t seed;
  bool is_faulty = false;  // some nodes throw
  bool is_calm = false;    // nothing waits for later forks, as forks may be calls
  plant planted = plant::nothing;
  std::atomic<std::uint64_t> visits{
      0};  // of its nodes, except below a construct that may stop early
};

// A node and its surroundings.
struct place {
  program& in;
  std::uint64_t node;
  int depth;
  bool is_calm;   // below a function that runs serially, or everywhere
  bool is_stray;  // below a construct that may stop early: not counted, throws nothing

  [[nodiscard]] std::uint64_t hash() const { return mixed(node ^ in.seed); }
  [[nodiscard]] place child(std::uint64_t i) const {
    const int less = 1 + static_cast<int>(mixed(hash() + i) >> 60 & 1);
    return {in, mixed(node + 1) + i, depth - less, is_calm, is_stray};
  }
  [[nodiscard]] place calmed() const { return {in, node, depth, true, is_stray}; }
  [[nodiscard]] place strayed() const { return {in, node, depth, is_calm, true}; }
  // What child i adds to the value of the node to which these children belong.
  [[nodiscard]] std::uint64_t part(std::uint64_t i) const;
};

// Runs the node and all nodes below it in parallel.
std::uint64_t grow(const place& p);
// Its value, computed by a serial walk without constructs. Counts the nodes that grow() has to
// visit. Throws nothing.
std::uint64_t expected(const place& p, std::uint64_t& nodes);
// Whether the program has such a node and it throws.
bool throws(const program& p, std::uint64_t node);
// Whether there is such a node below.
bool has_faults(const place& p);

// How many nodes have been visited in all; the watchdog observes this.
extern std::atomic<std::uint64_t> progress;

}  // namespace heist_soak
