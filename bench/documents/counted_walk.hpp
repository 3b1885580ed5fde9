// A walk of a graph of tasks, as graph_walk, whose steals are counted.
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include <heist/presets.hpp>

#include "bench/rounds.hpp"
#include "workloads/side.hpp"

namespace heist::bench {

class counted_walk {
 public:
  struct counts {
    double seconds;
    std::uint64_t steals;
    std::uint64_t tasks;  // that were stolen: a steal may take several
  };

  counted_walk(std::size_t breadth, std::size_t depth, std::size_t work)
      : program_(workloads::make_side_program(
            "graph_walk", {fmt::format("breadth={}", breadth), fmt::format("depth={}", depth),
                           fmt::format("work={}", work)})) {
    program_->run_serial();
    expected_ = program_->checksum();
    subtasks_ = program_->work().items - 1;  // the root is nobody's
  }

  [[nodiscard]] double subtasks() const { return subtasks_; }

  // Throws wrong_result.
  [[nodiscard]] counts run(const std::string& name, pool& on, workloads::execution how) {
    how.on = &on;
    program_->reset();
    const counters before = on.stats().total;
    const double seconds = seconds_of([&] { on.run([&] { program_->run_with(how); }); });
    const counters after = on.stats().total;
    check_result(name, expected_, program_->checksum());
    const std::uint64_t steals = after.steals - before.steals;
    return {seconds, steals, steals + after.batched - before.batched};
  }

 private:
  const std::unique_ptr<workloads::instance> program_;
  std::uint64_t expected_ = 0;
  double subtasks_ = 0;
};

}  // namespace heist::bench
