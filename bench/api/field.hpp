// One problem and all libraries that solve it: they take turns, and each result is compared with
// the serial one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/api/kernels.hpp"
#include "bench/rounds.hpp"

namespace heist::bench::api {

// One problem: its data, and a check that it was solved.
struct problem {
  std::string name;
  std::function<void()> prepare;
  // Empty if that library offers nothing for the problem.
  std::function<std::function<void()>(const kernels&)> task;
  std::function<std::uint64_t()> result;
  // A turn is one call of the task. If this is positive, a turn has as many calls as fill that
  // time, and reports their mean.
  double turn_s = 0;
  bool warmed_up = false;  // whether a call without a clock comes before
};

// For result(): a value that tells whether all elements equal those of another run.
template <class Values>
std::uint64_t fingerprint(const Values& values) {
  std::uint64_t h = 0;
  for (const auto& e : values) h = h * 31 + static_cast<std::uint64_t>(e);
  return h;
}

class field {
 public:
  // Runs the problem once serially, for its result.
  field(problem what, const kernels& serial);
  field(const field&) = delete;
  field& operator=(const field&) = delete;

  // nullptr if the library cannot solve the problem.
  contestant* add_if_able(const kernels& by, unsigned threads);
  void play(const settings& with) { turns_.play(with); }

  void append_rows(std::vector<row>& rows) const;
  [[nodiscard]] samples against_serial(const contestant& which) const;
  [[nodiscard]] const std::string& name() const { return what_.name; }
  [[nodiscard]] const contestant& serial() const { return *serial_; }

 private:
  contestant& add(const std::string& who, const kernels& by, unsigned threads);

  contest turns_;
  const problem what_;
  std::uint64_t expected_ = 0;
  contestant* serial_ = nullptr;
  std::vector<contestant*> members_;
};

// The contestant with the least median; nullptr if there are none.
[[nodiscard]] const contestant* fastest(const std::vector<const contestant*>& of);

}  // namespace heist::bench::api
