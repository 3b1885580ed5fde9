// Work stealing by P processes on the processors that a kernel gives them (Arora, Blumofe, Plaxton
// 1998, section 3), on DAGs whose instructions have at most two edges out, strict or not. A process
// that runs in a step executes an instruction of its thread, or makes one steal attempt; what
// becomes ready goes to the bottom of its deque, or is run while the process's own thread goes
// there. Between two attempts it yields.
//
// Of the thieves that ask the same deque in one step, one gets the top thread. For the others
// popTop fails, as its relaxed semantics allow. Within a step, instructions come before steals.
//
// With a lock for each deque (kernel_settings::lock_steps) an operation takes steps of its own, in
// which it holds the lock. A process that needs it meanwhile spins: it uses its processor for
// nothing, and for long where the kernel has taken that of the holder away.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "lab/engines/kernel.hpp"
#include "lab/engines/kernel_run.hpp"
#include "lab/engines/yield_rule.hpp"
#include "lab/model/random.hpp"
#include "lab/model/run_result.hpp"
#include "lab/model/thread_system.hpp"
#include "lab/schedulers/ready_deque.hpp"

namespace heist::lab {

// Counts the steps without progress. Throws usage_error where the kernel gave no processor in any
// of them.
class progress_watch {
 public:
  explicit progress_watch(std::uint64_t patience) : patience_(patience) {}

  [[nodiscard]] bool is_hopeless(std::uint64_t step, std::size_t chosen, bool has_executed) {
    given_ = has_executed ? 0 : given_ + chosen;
    last_progress_ = has_executed ? step : last_progress_;
    if (step - last_progress_ < patience_) return false;
    if (given_ == 0)
      throw usage_error(
          fmt::format("the kernel gave no processor in steps {} to {}", last_progress_ + 1, step));
    return true;
  }

 private:
  std::uint64_t patience_, last_progress_ = 0, given_ = 0;
};

template <thread_system Threads>
class abp_run {
 public:
  abp_run(Threads& threads, kernel& chooser, const kernel_settings& settings)
      : threads_(&threads),
        kernel_(&chooser),
        processes_(settings.processes),
        yields_(settings.yield, settings.processes, settings.seed),
        random_(settings.seed),
        watch_(settings.patience + chooser.silence()),
        observer_(settings.observer),
        running_(settings.processes, no_id),
        left_(settings.processes, 0),
        deques_(settings.processes),
        robbed_in_(settings.processes, 0),
        spawn_(settings.spawn),
        enabled_(settings.enabled),
        lock_steps_(settings.lock_steps),
        holder_(settings.processes, no_id),
        operations_(settings.processes),
        states_(settings.processes) {
    result_.run.processors = processes_;
  }

  kernel_result operator()() {
    auto& run = result_.run;
    const thread_id root = threads_->start();
    if (observer_ != nullptr) observer_->start(root);
    assign(0, root);
    while (threads_->living() > 0) {
      const auto step = ++run.steps;
      for (std::uint32_t p = 0; p < processes_; ++p)
        states_[p] = {running_[p] != no_id || operations_[p].is_begun, deques_[p].size()};
      kernel_->choose(step, states_, chosen_);
      yields_.keep(step, chosen_);
      if (observer_ != nullptr) observer_->note_choice(step, chosen_, processes_);
      run.scheduled += chosen_.size();
      const auto executed = run.work;
      for (const auto p : chosen_)
        if (operations_[p].is_begun)
          operate(p, step);
        else if (states_[p].works)
          execute(p);
      for (const auto p : chosen_)
        if (!states_[p].works) steal(p, step);
      if (observer_ != nullptr) observer_->end_step(step, running_, deques_);
      run.peak_space = std::max(run.peak_space, threads_->space());
      if (threads_->living() > 0 && watch_.is_hopeless(step, chosen_.size(), run.work > executed)) {
        result_.is_finished = false;
        break;
      }
    }
    run.idle = run.scheduled - run.work - run.attempts - run.wait;
    return result_;
  }

 private:
  void assign(std::uint32_t p, thread_id thread) {
    running_[p] = thread;
    left_[p] = threads_->weight(thread);
  }

  void push(std::uint32_t p, thread_id thread) {
    deques_[p].push_bottom(thread);
    result_.run.peak_queue = std::max<std::uint64_t>(result_.run.peak_queue, deques_[p].size());
  }

  void execute(std::uint32_t p) {
    ++result_.run.work;
    if (--left_[p] > 0) return;
    ++result_.run.instructions;
    const thread_id thread = running_[p];
    const auto weight = observer_ == nullptr ? 0 : threads_->weight(thread);
    const outcome did = threads_->execute(thread);
    if (observer_ != nullptr) observer_->executed(thread, weight, did);
    const bool needs_deque = did.enabled[0] != no_id || did.enabled[1] != no_id ||
                             (did.thread == outcome::fate::goes_on) == (did.spawned != no_id);
    if (lock_steps_ == 0 || !needs_deque) return go_on(p, thread, did);
    running_[p] = no_id;
    operations_[p] = {true, p, lock_steps_, thread, did};
  }

  // Of an operation on a deque: takes the lock, or spins, or uses a step of it.
  void operate(std::uint32_t p, std::uint64_t step) {
    ++result_.run.wait;
    auto& operation = operations_[p];
    auto& holder = holder_[operation.deque];
    if (holder == no_id) holder = p;
    if (holder != p) {
      ++result_.spins;
      return;
    }
    if (--operation.left > 0) return;
    holder = no_id;
    operation.is_begun = false;
    if (operation.deque == p)
      go_on(p, operation.thread, operation.did);
    else if (!take_top(p, operation.deque))
      yields_.note_yield(p, step);
  }

  // What an instruction did becomes true for the deque, and for what p executes next.
  void go_on(std::uint32_t p, thread_id thread, const outcome& did) {
    thread_id next = did.thread == outcome::fate::goes_on ? thread : no_id;
    // Of two threads that could go on, the one that is run is the second.
    const auto prefer = [&](thread_id other, bool is_run) {
      if (next != no_id) push(p, is_run ? next : other);
      if (next == no_id || is_run) next = other;
    };
    for (const thread_id enabled : did.enabled) {
      if (enabled == no_id) continue;
      ++result_.run.resumed;
      if (enabled_ == enabled_order::queued)
        push(p, enabled);
      else
        prefer(enabled, true);
    }
    if (did.spawned != no_id) prefer(did.spawned, spawn_ == spawn_order::child_first);
    if (next == no_id && !deques_[p].empty()) next = deques_[p].pop_bottom();
    running_[p] = no_id;
    if (next != no_id) assign(p, next);
  }

  void steal(std::uint32_t p, std::uint64_t step) {
    ++result_.run.attempts;
    if (processes_ > 1) {
      auto victim = static_cast<std::uint32_t>(random_.below(processes_ - 1));
      victim += victim >= p ? 1 : 0;
      if (lock_steps_ != 0) {
        operations_[p] = {true, victim, lock_steps_, no_id, {}};
        return;
      }
      if (robbed_in_[victim] != step && take_top(p, victim)) {
        robbed_in_[victim] = step;
        return;
      }
    }
    yields_.note_yield(p, step);
  }
  bool take_top(std::uint32_t p, std::uint32_t victim) {
    if (deques_[victim].empty()) return false;
    ++result_.run.steals;
    ++result_.run.threads_stolen;
    assign(p, deques_[victim].pop_top());
    return true;
  }

  // That of a process on a deque with a lock: on its own after an instruction, or a steal.
  struct deque_operation {
    bool is_begun = false;
    std::uint32_t deque = 0;
    std::uint32_t left = 0;  // steps for which it still has to hold the lock
    thread_id thread = no_id;
    outcome did{};
  };

  Threads* threads_;
  kernel* kernel_;
  std::uint32_t processes_;
  yield_rule yields_;
  rng random_;
  progress_watch watch_;
  kernel_observer* observer_;
  std::vector<thread_id> running_;
  std::vector<std::uint64_t> left_;
  std::vector<ready_deque> deques_;
  std::vector<std::uint64_t> robbed_in_;
  spawn_order spawn_;
  enabled_order enabled_;
  std::uint32_t lock_steps_;
  std::vector<std::uint32_t> holder_;  // by deque: the process that holds its lock
  std::vector<deque_operation> operations_;
  std::vector<process_state> states_;
  std::vector<std::uint32_t> chosen_;
  kernel_result result_;
};

// A greedy schedule under a kernel: each processor that the kernel gives executes a ready
// instruction, while there are any. It takes at most T1/PA + Tinf (P - 1)/PA steps (Theorem 2).
template <thread_system Threads>
kernel_result run_greedy_under(Threads& threads, kernel& chooser, const kernel_settings& settings) {
  kernel_result result;
  auto& run = result.run;
  run.processors = settings.processes;
  struct entry {
    thread_id thread;
    std::uint64_t left;
  };
  std::vector<entry> ready, next;
  const auto becomes_ready = [&](thread_id thread) {
    next.push_back({thread, threads.weight(thread)});
  };
  becomes_ready(threads.start());
  ready.swap(next);
  progress_watch watch(settings.patience + chooser.silence());
  std::vector<process_state> states(settings.processes);
  std::vector<std::uint32_t> chosen;
  while (threads.living() > 0) {
    const auto step = ++run.steps;
    for (std::size_t p = 0; p < states.size(); ++p) states[p] = {p < ready.size(), 0};
    chooser.choose(step, states, chosen);
    run.scheduled += chosen.size();
    const auto count = std::min(chosen.size(), ready.size());
    for (std::size_t i = 0; i < count; ++i) {
      ++run.work;
      auto& each = ready[i];
      if (--each.left > 0) {
        next.push_back(each);
        continue;
      }
      ++run.instructions;
      const outcome did = threads.execute(each.thread);
      for (const thread_id enabled : did.enabled)
        if (enabled != no_id) becomes_ready(enabled);
      if (did.spawned != no_id) becomes_ready(did.spawned);
      if (did.thread == outcome::fate::goes_on) becomes_ready(each.thread);
    }
    ready.erase(ready.begin(), ready.begin() + static_cast<std::ptrdiff_t>(count));
    ready.insert(ready.end(), next.begin(), next.end());
    next.clear();
    run.peak_space = std::max(run.peak_space, threads.space());
    if (threads.living() > 0 && watch.is_hopeless(step, chosen.size(), count > 0)) {
      result.is_finished = false;
      break;
    }
  }
  run.idle = run.scheduled - run.work;
  return result;
}

}  // namespace heist::lab
