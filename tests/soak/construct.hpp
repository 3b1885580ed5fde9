// The constructs that can be at a node. Each family has a file and a table.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "tests/soak/program.hpp"

namespace heist_soak {

enum class trait : std::uint8_t {
  plain,
  waits,   // for later forks: not where forks are calls
  serial,  // forks below it are calls
  stops,   // perhaps before all children ran: they do not count
};

struct construct {
  const char* name;
  unsigned weight;  // how often it is drawn, relative to the others
  trait is;
  unsigned children;
  unsigned more;  // up to this many more children, by the node's hash
  // Runs the existing children, each once, and adds up their parts.
  std::uint64_t (*run)(const place& p, unsigned children);
};

std::span<const construct> forks();
std::span<const construct> loops();
std::span<const construct> algorithms();
std::span<const construct> futures();
std::span<const construct> waits();
std::span<const construct> graphs();
std::span<const construct> pools();
std::span<const construct> stops();

// The construct at a node, and the number of its children.
const construct& construct_at(const place& p);
unsigned children_at(const place& p, const construct& c);

// How many times each construct was run, by its place in the list of all.
struct tally {
  const construct* what;
  std::atomic<std::uint64_t> runs;
};
std::span<tally> tallies();

}  // namespace heist_soak
