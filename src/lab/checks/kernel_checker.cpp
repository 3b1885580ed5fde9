#include "lab/checks/kernel_checker.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "lab/checks/check_report.hpp"

namespace heist::lab {

namespace {

bool is_lower_bound(std::string_view word) {
  return word.substr(0, word.find(':')) == "lower-bound";
}

}  // namespace

void kernel_checker::start(thread_id root) {
  depth_.clear();
  given_in_.clear();
  given_ = 0;
  set_depth(root, 1);
}

void kernel_checker::note_choice(std::uint64_t step, const std::vector<std::uint32_t>& chosen,
                                 std::size_t processes) {
  given_in_.resize(processes, 0);
  for (const auto p : chosen) {
    if (p >= processes || given_in_[p] == step)
      throw check_error(fmt::format(
          "step {}: the kernel gives process {} {}", step, p + 1,
          p >= processes ? "a processor, and there is no such process" : "two processors"));
    given_in_[p] = step;
  }
  given_ += chosen.size();
}

void kernel_checker::set_depth(thread_id thread, std::uint64_t depth) {
  if (thread >= depth_.size()) depth_.resize(thread + std::size_t{1}, 0);
  depth_[thread] = depth;
  deepest_ = std::max(deepest_, depth);
}

void kernel_checker::executed(thread_id thread, std::uint64_t weight, const outcome& did) {
  const auto last = depth_[thread] + weight - 1;
  if (last > measured_.span)
    throw check_error(
        fmt::format("an instruction at depth {}, and Tinf is {}", last, measured_.span));
  if (did.thread == outcome::fate::goes_on) set_depth(thread, last + 1);
  if (did.spawned != no_id) set_depth(did.spawned, last + 1);
  for (const auto enabled : did.enabled)
    if (enabled != no_id) set_depth(enabled, last + 1);
}

void kernel_checker::end_step(std::uint64_t step, const std::vector<thread_id>& running,
                              const std::vector<ready_deque>& deques) {
  for (std::size_t p = 0; p < running.size(); ++p) {
    const auto& deque = deques[p];
    if (deque.empty()) continue;
    bool holds = running[p] != no_id && depth_[deque[deque.size() - 1]] <= depth_[running[p]];
    for (std::size_t i = 1; i < deque.size(); ++i)
      holds = holds && depth_[deque[i - 1]] < depth_[deque[i]];
    if (holds) continue;
    std::string state = running[p] == no_id ? "it executes nothing"
                                            : fmt::format("it executes {}", depth_[running[p]]);
    state += ", its deque has from the bottom:";
    for (std::size_t i = deque.size(); i-- > 0;) state += fmt::format(" {}", depth_[deque[i]]);
    throw check_error(
        fmt::format("after step {}, process {}: depths out of order: {}", step, p + 1, state));
  }
}

void kernel_checker::finish(const kernel_settings& settings, const kernel_result& result) {
  const auto& run = result.run;
  ++runs_;
  steps_ += run.steps;
  if (run.scheduled != run.work + run.attempts + run.idle)
    throw check_error(fmt::format("{} + {} + {} dollars, and the kernel gave {}", run.work,
                                  run.attempts, run.idle, run.scheduled));
  if (settings.scheduler == user_scheduler::abp && run.scheduled != given_)
    throw check_error(
        fmt::format("PA T is {}, and the kernel gave {} processors", run.scheduled, given_));
  if (!result.is_finished) return;
  if (run.work != measured_.work)
    throw check_error(fmt::format("WORK is {} and T1 {}", run.work, measured_.work));
  if (run.steps < measured_.span)
    throw check_error(fmt::format("{} steps, fewer than Tinf = {}", run.steps, measured_.span));
  const auto p = settings.processes;
  if (settings.scheduler == user_scheduler::greedy &&
      run.scheduled > measured_.work + measured_.span * (p - 1))
    throw check_error(
        fmt::format("greedy, and PA T is {}: more than T1 + Tinf (P - 1) = {} + {} * {}",
                    run.scheduled, measured_.work, measured_.span, p - 1));
  if (is_lower_bound(settings.kernel) && run.scheduled < measured_.span * p)
    throw check_error(fmt::format("under lower-bound PA T is {}: less than Tinf P = {} * {}",
                                  run.scheduled, measured_.span, p));
}

}  // namespace heist::lab
