// How a program runs in parallel: of which constructs of heist it is made. The algorithms are
// written once (forkers.hpp); what is chosen here is what their forks and loops become.
#pragma once

#include <cstdint>
#include <string_view>

#include <heist/pool.hpp>

namespace heist::workloads {

enum class construct : std::uint8_t {
  forks,    // heist::fork_join, parallel_for and scope
  tasks,    // heist::task objects with a count of unfinished children
  jobs,     // heist::job_system
  futures,  // submit(), and get() where the program joins
  plan,     // loops under one of the plans below; a program that forks can't run so
};

// Which worker runs which iterations of a loop, under construct::plan.
enum class loop_plan : std::uint8_t { static_blocks, interleaved, semi_static, counter };

[[nodiscard]] constexpr std::string_view to_string(construct c) noexcept {
  constexpr std::string_view names[] = {"forks", "tasks", "jobs", "futures", "plan"};
  return names[static_cast<std::size_t>(c)];
}
[[nodiscard]] constexpr std::string_view to_string(loop_plan p) noexcept {
  constexpr std::string_view names[] = {"static_blocks", "interleaved", "semi_static", "counter"};
  return names[static_cast<std::size_t>(p)];
}

struct execution {
  construct with = construct::forks;
  loop_plan plan = loop_plan::static_blocks;
  pool* on = nullptr;  // the pool that runs it; jobs need it
};

}  // namespace heist::workloads
