// Independent tasks that the root spawns one after the other: a loop whose iterations cost the
// same, except that the last one may be long. It shows the effects of granularity, of plans and of
// "long tasks first".
#pragma once

#include <cstdint>

#include "lab/model/program.hpp"

namespace heist::lab {

struct wide_program {
  struct frame {
    std::uint64_t at;  // the root: how many it has spawned; a task: its number
    bool is_task;
  };

  std::uint64_t tasks = 1, work = 1, last_work = 1;

  [[nodiscard]] frame root() const { return {0, false}; }
  [[nodiscard]] std::uint64_t weight(const frame& f) const { return f.is_task ? cost(f.at) : 1; }
  [[nodiscard]] std::uint64_t hint(const frame& f) const { return f.is_task ? cost(f.at) : 0; }
  [[nodiscard]] bool waits_next(const frame& f) const { return !f.is_task && f.at == tasks; }
  [[nodiscard]] place_among place(const frame& f) const {
    return f.is_task ? place_among{f.at, tasks} : place_among{};
  }

  action execute(frame& f, frame& child) const {
    using enum action::next;
    if (f.is_task) return {false, ends};
    const auto at = f.at++;
    if (at < tasks) {
      child = {at, true};
      return {true, goes_on};
    }
    return {false, at == tasks ? waits : ends};
  }

 private:
  [[nodiscard]] std::uint64_t cost(std::uint64_t task) const {
    return task + 1 == tasks ? last_work : work;
  }
};

}  // namespace heist::lab
