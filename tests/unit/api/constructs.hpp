// Everything that heist offers for running functions, each in a form that calls one function several times.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace heist_test {

using body = std::function<void()>;

struct construct {
  std::string name;
  unsigned calls;  // of the body, if it doesn't throw
  // Calls it from a worker's function or from a thread outside; returns, or throws what a call threw, when all
  // calls have ended.
  void (*run)(const body&);
};
inline void PrintTo(const construct& c, std::ostream* out) { *out << c.name; }

[[nodiscard]] const std::vector<construct>& all_constructs();

}  // namespace heist_test
