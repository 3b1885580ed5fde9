// oneTBB as a way of forking (workloads/forkers.hpp).
#pragma once

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <cstddef>

#include "workloads/constructs.hpp"

namespace heist::workloads {

class rival : public forks_of<rival> {
 public:
  // Calls program(rival{}) on that many threads.
  template <class Program>
  static void run_forks(unsigned workers, Program&& program) {
    static tbb::global_control threads(tbb::global_control::max_allowed_parallelism, workers);
    static tbb::task_arena arena(static_cast<int>(workers));
    arena.execute([&] { program(rival{}); });
  }
  template <class Program>
  static void run_loops(unsigned workers, Program&& program) {
    run_forks(workers, program);
  }

  template <class F, class G>
  void both(F& f, G& g) const {
    tbb::parallel_invoke([&f] { f(); }, [&g] { g(); });
  }

  template <class Body>
  void loop(std::size_t n, std::size_t grain, const Body& body) const {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n, grain),
                      [&](const tbb::blocked_range<std::size_t>& part) {
                        for (std::size_t i = part.begin(); i != part.end(); ++i) body(i);
                      });
  }

  template <class Function>
  void scope(const Function& function) const {
    tbb::task_group children;
    function([&](auto&& child) { children.run(std::forward<decltype(child)>(child)); });
    children.wait();
  }
};

}  // namespace heist::workloads
