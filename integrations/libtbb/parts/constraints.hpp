// Which processors an arena may use: the NUMA nodes, core types and threads per core that a program
// asks for.
//
// The original keeps this in a library of its own, libtbbbind, which knows the machine by hwloc and
// is loaded when a program first asks. This one loads the same library, so both give the same
// numbers and bind alike. Without it there is one node and one type of core, both of number -1, and
// nothing is bound, as in the original.
#pragma once

#include <memory>
#include <span>

#include "parts/abi.hpp"

namespace tbb::detail::r1 {
class binding_handler;  // libtbbbind's
}

namespace heist::inline v0::libtbb {

// The numbers of the nodes and of the core types of which the process may use a processor: at least
// one. The first call in a process takes milliseconds, when the machine is looked at. All of these
// are thread-safe.
[[nodiscard]] std::span<const int> numa_nodes();
[[nodiscard]] std::span<const int> core_types();
// How many processors the constraints leave; 0 if they leave all, or nobody knows.
[[nodiscard]] int processors_of(const d1::constraints& c);

// An arena's threads are bound while they sit in it.
class binding {
 public:
  // For that many seats. Nothing is bound where the constraints say nothing that tells processors
  // apart.
  binding(const d1::constraints& c, unsigned seats);

  // Around the stay of the calling thread in a seat. Costs two system calls where there are
  // constraints, else a test.
  void enter(unsigned seat) const noexcept {
    if (handler_ != nullptr) [[unlikely]]
      bind(seat);
  }
  void leave(unsigned seat) const noexcept {
    if (handler_ != nullptr) [[unlikely]]
      give_back(seat);
  }

 private:
  struct deleter {
    void operator()(r1::binding_handler* h) const noexcept;
  };
  void bind(unsigned seat) const noexcept;
  void give_back(unsigned seat) const noexcept;

  std::unique_ptr<r1::binding_handler, deleter> handler_;
};

}  // namespace heist::inline v0::libtbb
