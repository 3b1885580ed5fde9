// Where the jobs of a job_system come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "heist/detail/requirements.hpp"

namespace heist::inline v0 {

enum class job_memory : std::uint8_t {
  ring,  // of the thread that creates the job: no lock, no malloc (the default)
  heap,  // each from operator new, and freed when it has ended
};

// The name of the choice, as the command takes it.
[[nodiscard]] constexpr std::string_view to_string(job_memory m) noexcept {
  constexpr std::string_view names[] = {"ring", "heap"};
  return names[static_cast<std::size_t>(m)];
}

}  // namespace heist::inline v0
