// Two programs for a loop that was cut into tasks. In the first the root spawns the tasks one after
// the other, for queues and plans; in the second threads divide the tasks by halves, for thieves.
#pragma once

#include <cstdint>
#include <vector>

#include "lab/model/program.hpp"

namespace heist::lab {

struct loop_task {
  std::uint64_t cost = 1, hint = 0;
};

struct task_list_program {
  struct frame {
    std::uint64_t at;  // the root: how many it has spawned; a task: its place in the list
    bool is_task;
  };

  const std::vector<loop_task>* tasks = nullptr;
  std::uint64_t cost_of_taking = 0;  // steps that each task takes before it begins

  [[nodiscard]] frame root() const { return {0, false}; }
  // The part of the weight that is the loop's own work.
  [[nodiscard]] std::uint64_t useful(const frame& f) const {
    return f.is_task ? (*tasks)[f.at].cost : 0;
  }
  [[nodiscard]] std::uint64_t weight(const frame& f) const {
    return f.is_task ? cost_of_taking + (*tasks)[f.at].cost : 1;
  }
  [[nodiscard]] std::uint64_t hint(const frame& f) const {
    return f.is_task ? (*tasks)[f.at].hint : 0;
  }
  [[nodiscard]] place_among place(const frame& f) const {
    return f.is_task ? place_among{f.at, tasks->size()} : place_among{};
  }

  action execute(frame& f, frame& child) const {
    using enum action::next;
    if (f.is_task) return {false, ends};
    const auto at = f.at++;
    if (at < tasks->size()) {
      child = {at, true};
      return {true, goes_on};
    }
    return {false, at == tasks->size() ? waits : ends};
  }
};

struct task_halves_program {
  // A thread spawns the first half of its tasks until one is left, which it executes itself.
  struct frame {
    std::uint64_t first, last;  // the tasks from the first one up to, but not including, the last
    bool has_children;
  };

  const std::vector<loop_task>* tasks = nullptr;

  [[nodiscard]] frame root() const { return {0, tasks->size(), false}; }
  [[nodiscard]] std::uint64_t useful(const frame& f) const {
    return f.last - f.first == 1 ? (*tasks)[f.first].cost : 0;
  }
  [[nodiscard]] std::uint64_t weight(const frame& f) const {
    return f.last - f.first == 1 ? (*tasks)[f.first].cost : 1;
  }
  [[nodiscard]] std::uint64_t hint(const frame& f) const { return f.last - f.first; }
  [[nodiscard]] place_among place(const frame&) const { return {}; }

  action execute(frame& f, frame& child) const {
    using enum action::next;
    const auto count = f.last - f.first;
    if (count > 1) {
      const auto middle = f.first + count / 2;
      child = {f.first, middle, false};
      f = {middle, f.last, true};
      return {true, goes_on};
    }
    if (count == 0) return {false, ends};  // after the sync
    f.first = f.last;
    return {false, f.has_children ? waits : ends};
  }
};

static_assert(fork_join_program<task_list_program> && fork_join_program<task_halves_program>);

}  // namespace heist::lab
