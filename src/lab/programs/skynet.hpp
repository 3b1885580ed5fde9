// The flat tree of workloads/skynet: a thread has some children of a node and divides them by
// halves, so that a node of ten takes nine forks; one child alone is that child's node.
#pragma once

#include <cstdint>

#include "lab/model/program.hpp"
#include "workloads/skynet/node.hpp"

namespace heist::lab {

struct skynet_program {
  struct frame {
    workloads::skynet_node node;
    std::uint64_t begin, end;  // of its children
    std::uint32_t at;
  };

  std::uint64_t leaves = 1'000'000;

  [[nodiscard]] frame root() const {
    const workloads::skynet_node whole{0, leaves};
    return thread_of(whole, 0, whole.children());
  }
  [[nodiscard]] std::uint64_t weight(const frame&) const { return 1; }
  [[nodiscard]] std::uint64_t hint(const frame& f) const { return f.node.leaves; }
  [[nodiscard]] bool waits_next(const frame& f) const { return f.at == 2; }
  [[nodiscard]] place_among place(const frame&) const { return {}; }

  action execute(frame& f, frame& child) const {
    using enum action::next;
    if (f.node.leaves == 1) return {false, ends};
    const auto at = f.at++;
    if (at >= 2) return {false, at == 2 ? waits : ends};
    const auto middle = f.begin + (f.end - f.begin) / 2;
    child = at == 0 ? thread_of(f.node, f.begin, middle) : thread_of(f.node, middle, f.end);
    return {true, goes_on};
  }

 private:
  [[nodiscard]] static frame thread_of(workloads::skynet_node node, std::uint64_t begin,
                                       std::uint64_t end) {
    while (end - begin == 1 && node.leaves > 1) {
      node = node.child(begin);
      begin = 0;
      end = node.children();
    }
    return {node, begin, end, 0};
  }
};

}  // namespace heist::lab
