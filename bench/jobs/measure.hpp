// The measurements for any job system that has the function names of heist::job_system.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/rounds.hpp"

namespace heist::bench {

// The marks that jobs make: each place must be reached exactly once.
class marks {
 public:
  explicit marks(std::size_t n) : seen_(n) {}

  [[nodiscard]] std::size_t size() const noexcept { return seen_.size(); }
  [[nodiscard]] std::uint8_t* begin() noexcept { return seen_.data(); }
  // Throws wrong_result.
  void check(const std::string& name) const {
    const auto once = std::count(seen_.begin(), seen_.end(), 1);
    check_result(name + ", places reached once", seen_.size(), static_cast<std::uint64_t>(once));
  }

 private:
  std::vector<std::uint8_t> seen_;
};

// Jobs that mark one place each, `batch` to a parent.
template <class System>
void run_single_jobs(System& system, marks& places, std::size_t batch) {
  for (std::size_t first = 0; first < places.size(); first += batch) {
    const std::size_t last = std::min(first + batch, places.size());
    const auto parent = system.create_job([] {});
    for (std::size_t i = first; i < last; ++i)
      system.run(system.create_job_as_child(parent, [p = places.begin() + i] { ++*p; }));
    system.run(parent);
    system.wait(parent);
  }
}

// A job that hands the later half of its range to another job until at most `most` iterations are
// left.
template <class System>
struct part_of_loop {
  System* system;
  std::uint8_t* places;
  std::size_t first;
  std::size_t last;
  std::size_t most;

  void operator()(typename System::job self) {
    while (last - first > most) {
      part_of_loop later = *this;
      later.first = first + (last - first) / 2;
      last = later.first;
      system->run(system->create_job_as_child(self, later));
    }
    for (std::size_t i = first; i != last; ++i) ++places[i];
  }
};

template <class System>
void run_loop(System& system, marks& places, std::size_t most) {
  const auto all =
      system.create_job(part_of_loop<System>{&system, places.begin(), 0, places.size(), most});
  system.run(all);
  system.wait(all);
}

// The seconds that run(system, places, parameter) takes with workers that are awake.
template <class System, class Run>
double seconds_awake(const std::string& name, System& system, std::size_t n, std::size_t parameter,
                     const Run& run) {
  marks warm_up(std::min<std::size_t>(n, 1024));
  marks places(n);
  const double seconds = system.on_worker([&] {
    run(system, warm_up, parameter);
    return seconds_of([&] { run(system, places, parameter); });
  });
  places.check(name);
  return seconds;
}

template <class System>
double single_jobs_s(const std::string& name, System& system, std::size_t jobs, std::size_t batch) {
  return seconds_awake(name, system, jobs, batch, &run_single_jobs<System>);
}
template <class System>
double loop_s(const std::string& name, System& system, std::size_t iterations, std::size_t most) {
  return seconds_awake(name, system, iterations, most, &run_loop<System>);
}

}  // namespace heist::bench
