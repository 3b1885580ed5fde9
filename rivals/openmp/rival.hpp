// OpenMP as a way of forking (workloads/forkers.hpp): tasks in a parallel region; a program of
// nothing but loops gets parallel loops instead.
#pragma once

#include <omp.h>

#include <cstddef>
#include <utility>

#include "workloads/constructs.hpp"

namespace heist::workloads {

class rival : public forks_of<rival> {
 public:
  // Calls program(rival{}) in a region of that many threads.
  template <class Program>
  static void run_forks(unsigned workers, Program&& program) {
#pragma omp parallel num_threads(workers)
#pragma omp single
    program(rival{});
  }
  // Each loop is a region of its own.
  template <class Program>
  static void run_loops(unsigned workers, Program&& program) {
    omp_set_num_threads(static_cast<int>(workers));
    program(rival{});
  }

  template <class F, class G>
  void both(F& f, G& g) const {
#pragma omp task default(shared)
    g();
    f();
#pragma omp taskwait
  }

  template <class Body>
  void loop(std::size_t n, std::size_t grain, const Body& body) const {
    const auto chunk = static_cast<long>(grain);
    if (omp_in_parallel() != 0) {
#pragma omp taskloop default(shared) grainsize(chunk)
      for (std::size_t i = 0; i < n; ++i) body(i);
    } else {
#pragma omp parallel for schedule(guided, chunk)
      for (std::size_t i = 0; i < n; ++i) body(i);
    }
  }

  template <class Function>
  void scope(const Function& function) const {
#pragma omp taskgroup
    {
      function([](auto&& child) {
        auto copy = std::forward<decltype(child)>(child);
#pragma omp task default(shared) firstprivate(copy)
        copy();
      });
    }
  }
};

}  // namespace heist::workloads
