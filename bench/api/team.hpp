// Who runs the loops of a program that calls one short loop after another: each library as a team.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace heist::bench::api {

// One part of the indices of a loop. The call is one for a whole part.
using part = std::function<void(std::size_t first, std::size_t last)>;
using part_of_sum = std::function<double(std::size_t first, std::size_t last)>;

class team {
 public:
  virtual ~team() = default;
  // Calls a program whose loops this team runs.
  virtual void within(const std::function<void()>& program) { program(); }
  // Calls the function for parts that make up [0, n).
  virtual void loop(std::size_t n, const part& body) = 0;
  virtual double sum(std::size_t n, const part_of_sum& body) = 0;
};

// nullptr where the library is not built in.
[[nodiscard]] std::unique_ptr<team> onetbb_team(unsigned threads);
[[nodiscard]] std::unique_ptr<team> openmp_team(unsigned threads);

}  // namespace heist::bench::api
