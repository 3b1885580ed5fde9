// All constructs of heist that run functions, each in a form that calls one function several times.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace heist_test {

using body = std::function<void()>;

struct construct {
  std::string name;
  unsigned calls;  // of the body, if it does not throw
  // Calls the function, from a worker or from a thread outside. When all calls have ended, it
  // returns, or throws what one of them threw.
  void (*run)(const body&);
};
inline void PrintTo(const construct& c, std::ostream* out) { *out << c.name; }

[[nodiscard]] const std::vector<construct>& all_constructs();

}  // namespace heist_test
