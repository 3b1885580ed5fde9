// Walks a graph of tasks in which each task but those of the last level has hundreds of children:
// with 300 children and three levels, 90,301 tasks. Every task does a little work of its own and is
// spawned alone, as by a program that follows pointers and cannot halve its children.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/forkers.hpp"
#include "workloads/hashing.hpp"

namespace heist::workloads {

struct walk_sum {
  std::uint64_t tasks = 0;
  std::uint64_t value = 0;

  friend walk_sum operator+(const walk_sum& a, const walk_sum& b) {
    return {a.tasks + b.tasks, a.value + b.value};
  }
};

struct walk_shape {
  std::uint64_t breadth;  // children of a task
  unsigned depth;         // levels of tasks, the root's among them
  std::uint64_t work;     // hashes that a task computes one after another
};

// What a task computes, from its number: no two tasks have the same one.
inline std::uint64_t work_of_task(std::uint64_t task, std::uint64_t work) {
  auto value = task;
  for (std::uint64_t i = 0; i < work; ++i) value = mixed(value);
  return value;
}

inline walk_sum walk_serially(std::uint64_t task, const walk_shape& shape, unsigned level) {
  walk_sum sum{1, work_of_task(task, shape.work)};
  if (level == shape.depth) return sum;
  for (std::uint64_t i = 0; i < shape.breadth; ++i)
    sum = sum + walk_serially(task * shape.breadth + i + 1, shape, level + 1);
  return sum;
}

// Each child has a place for its sum, which nobody else writes.
template <class Fork>
walk_sum walk(std::uint64_t task, const walk_shape& shape, unsigned level, Fork fork) {
  walk_sum sum{1, work_of_task(task, shape.work)};
  if (level == shape.depth) return sum;
  std::vector<walk_sum> children(shape.breadth);
  fork.scope([&](auto spawn) {
    for (std::uint64_t i = 0; i < shape.breadth; ++i)
      spawn([&children, &shape, task, i, level, fork] {
        children[i] = walk(task * shape.breadth + i + 1, shape, level + 1, fork);
      });
  });
  for (const auto& child : children) sum = sum + child;
  return sum;
}

}  // namespace heist::workloads
