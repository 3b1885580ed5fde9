// The results of a benchmark: rows of measured values, and the targets with them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/samples.hpp"

namespace heist::bench {

struct measure {
  std::string name;  // "time", "T1/Ts"
  std::string unit;  // empty for a ratio
  samples values;
};

struct row {
  std::string name;               // the contestant
  std::vector<measure> measures;  // none if it could not take part; the note says why
  std::string note;
};

enum class bound { at_most, at_least };

// A promised value, and the one that this run measured.
struct target {
  std::string what;
  std::string unit;
  bound kind;
  double limit;
  std::optional<double> measured;  // nothing: this run could not measure it; see the note
  std::string note;

  [[nodiscard]] bool met() const;
};

struct report {
  std::string title;  // what ran, with its sizes
  std::vector<row> rows;
  std::vector<target> targets;
  std::vector<std::string> notes;  // what a reader must know to understand the figures
};

}  // namespace heist::bench
