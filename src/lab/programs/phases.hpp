// Phases, one after the other: in each of them a tree of threads ends in so many tasks of equal
// work, and the next phase waits for all of them. A schedule that wants to be nearly as fast as it
// can must give some of each phase's tasks to every processor, so the number of threads that change
// their processor grows with the processors and with the phases: the communication that work
// stealing bounds from above is forced here from below.
#pragma once

#include <cstdint>

#include "lab/model/program.hpp"

namespace heist::lab {

struct phases_program {
  struct frame {
    std::uint64_t tasks;  // the root: phases that are left; else the tasks below this thread
    std::uint8_t at;      // instructions executed since the last wait
    bool is_root;
  };

  std::uint64_t phases = 1, tasks = 1, work = 1;

  [[nodiscard]] frame root() const { return {phases, 0, true}; }
  [[nodiscard]] std::uint64_t weight(const frame& f) const { return is_task(f) ? work : 1; }
  [[nodiscard]] std::uint64_t hint(const frame& f) const {
    return f.is_root ? f.tasks * tasks * work : f.tasks * work;
  }
  [[nodiscard]] bool waits_next(const frame& f) const {
    return f.is_root ? f.at == 1 : !is_task(f) && f.at == 2;
  }
  [[nodiscard]] place_among place(const frame&) const { return {}; }

  action execute(frame& f, frame& child) const {
    using enum action::next;
    if (is_task(f)) return {false, ends};
    const auto at = f.at++;
    if (f.is_root) {
      if (f.tasks == 0) return {false, ends};
      if (at == 0) {
        child = {tasks, 0, false};
        return {true, goes_on};
      }
      f.at = 0;
      --f.tasks;
      return {false, waits};
    }
    if (at < 2) {
      child = {at == 0 ? f.tasks / 2 : f.tasks - f.tasks / 2, 0, false};
      return {true, goes_on};
    }
    return {false, at == 2 ? waits : ends};
  }

 private:
  [[nodiscard]] static bool is_task(const frame& f) { return !f.is_root && f.tasks == 1; }
};

}  // namespace heist::lab
