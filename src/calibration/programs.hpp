// Programs that exist twice: as code for the real runtime, and as a computation of the lab with the
// same forks and the same work between them. So the lab's times can be compared with real ones.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace heist::calibration {

// One copy of a program with its data.
class program_copy {
 public:
  program_copy() = default;
  program_copy(const program_copy&) = delete;
  program_copy& operator=(const program_copy&) = delete;
  virtual ~program_copy() = default;

  virtual void reset() {}  // before each run, not timed
  virtual void run_serial() = 0;
  virtual void run_forked() = 0;  // on a worker
  // Runs the program serially and counts the forks that it would make.
  [[nodiscard]] virtual std::uint64_t forks() = 0;
  // The last run's result, or a hash of it.
  [[nodiscard]] virtual std::uint64_t result() const { return result_; }

 protected:
  std::uint64_t result_ = 0;
};

struct lab_program {
  std::string_view name, summary;
  std::string_view full, quick;  // the computation, as heist sim --dag takes it
  std::unique_ptr<program_copy> (*make)(bool quick);

  // A program without a quick size has its full one.
  [[nodiscard]] std::string computation(bool is_quick) const {
    return std::string(is_quick && !quick.empty() ? quick : full);
  }
};

[[nodiscard]] const std::vector<lab_program>& lab_programs();

}  // namespace heist::calibration
