// Runs a thread system by work stealing with costs, from event to event. The rules are those of
// schedulers/work_stealing.hpp; the engine differs from them where the runtime differs from the
// model:
//
//   fork          leaving a thread on the deque takes fork_ns. The last child before a sync is
//                 called instead: its parent has nothing to do but wait, so it isn't left to
//                 thieves.
//   steal         a thief asks one processor after the other, at random. A victim that has threads
//                 gives its oldest at the end of the instruction that it executes, or after
//                 quiet_steal_ns if that is sooner. A deque gives one thread at a time.
//   suspension    a thread was stolen from the processor that runs its child, and the child ends
//                 while the thread waits for others: the processor suspends the frame, and the
//                 child that ends last resumes it.
//   sleep         at first all processors but one sleep. A push wakes a sleeper. A processor that
//                 has found nothing for awake_ns, and finds all deques empty then, sleeps again.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "lab/engines/step_engine.hpp"
#include "lab/engines/timed_run.hpp"
#include "lab/model/random.hpp"
#include "lab/model/thread_system.hpp"
#include "lab/schedulers/ready_deque.hpp"

namespace heist::lab {

// The costs as whole numbers of picoseconds.
class timed_costs {
 public:
  struct distance {
    std::uint32_t processors;
    std::uint64_t steal, failed_attempt, answer;  // answer: how long a request may stay unanswered
  };

  explicit timed_costs(const cost_model& from)
      : fork(picoseconds(from.fork_ns)),
        busy_fork(picoseconds(from.fork_ns * from.busy_factor)),
        suspend(picoseconds(from.suspend_ns)),
        wake(picoseconds(std::max(0.0, from.wake_ns - from.steal_ns))),
        waking(picoseconds(from.waking_ns)),
        awake(from.awake_ns ? picoseconds(*from.awake_ns) : UINT64_MAX),
        instruction_fs_(std::max<std::uint64_t>(1, picoseconds(from.instruction_ns * 1000))),
        busy_instruction_fs_(std::max<std::uint64_t>(
            1, picoseconds(from.instruction_ns * from.busy_factor * 1000))) {
    for (const auto& each : from.distances)
      distances_.push_back(
          rounded(each.processors, each.steal_ns, each.failed_attempt_ns, from.quiet_steal_ns));
    if (distances_.empty())
      distances_.push_back(rounded(1, from.steal_ns, from.failed_attempt_ns, from.quiet_steal_ns));
  }

  std::uint64_t fork, busy_fork, suspend;
  std::uint64_t wake;  // until the woken thief looks for work
  std::uint64_t waking, awake;

  [[nodiscard]] bool is_uniform() const { return distances_.size() == 1; }
  [[nodiscard]] const distance& between(std::uint32_t a, std::uint32_t b) const {
    for (const auto& each : distances_)
      if (a / each.processors == b / each.processors) return each;
    return distances_.back();
  }

  [[nodiscard]] std::uint64_t length(std::uint64_t weight, bool others_work) const {
    const wide femtoseconds = wide{weight} * (others_work ? busy_instruction_fs_ : instruction_fs_);
    const wide result = femtoseconds / 1000;
    if (result > longest) throw usage_error("an instruction would take more than a month");
    return static_cast<std::uint64_t>(result);
  }

  static constexpr std::uint64_t longest = std::uint64_t{1} << 61U;  // picoseconds: 26 days

 private:
  __extension__ using wide = unsigned __int128;

  static std::uint64_t picoseconds(double ns) {
    return static_cast<std::uint64_t>(std::llround(ns * 1000));
  }
  static distance rounded(std::uint32_t processors, double steal, double failed, double quiet) {
    return {processors, picoseconds(steal), picoseconds(failed),
            picoseconds(std::max(0.0, quiet - steal))};
  }

  std::uint64_t instruction_fs_, busy_instruction_fs_;
  std::vector<distance> distances_;
};

template <class Threads>
class timed_engine {
 public:
  timed_engine(Threads& threads, const timed_settings& settings)
      : threads_(threads),
        costs_(settings.costs),
        random_(settings.seed),
        processors_(settings.processors) {}

  timed_result operator()() {
    begin(0, threads_.start(), 0, {});
    result_.peak_space = threads_.space();
    for (std::uint32_t p = size() - 1; p > 0; --p) sleepers_.push_back(p);
    while (threads_.living() > 0) {
      if (runners_.empty())
        throw deadlock_error(fmt::format("{} threads live and none runs", threads_.living()));
      if (thieves_.empty() || runners_.top().first <= thieves_.top().first)
        end_instruction();
      else
        look(take(thieves_));
    }
    for (const auto p : sleepers_) end_sleep(p, result_.time_ps);
    result_.processors = size();
    return result_;
  }

 private:
  using event = std::pair<std::uint64_t, std::uint32_t>;  // the time, and the processor
  using events = std::priority_queue<event, std::vector<event>, std::greater<>>;

  struct processor {
    ready_deque deque;
    thread_id thread = no_id;       // the one that it runs
    std::uint64_t ends = 0;         // the time at which its instruction ends
    std::uint64_t work = 0;         // the work in the time up to there
    std::uint64_t overhead = 0;     // the overhead in that time
    std::uint64_t gives_again = 0;  // when its deque can give the next thread
    std::uint64_t since = 0;        // of a thief: when it began to look, or fell asleep
    std::uint32_t victim = no_id;   // the processor that it has asked
  };
  // A thread's part in steals and suspensions.
  struct family {
    thread_id last_child = no_id;
    bool is_orphan = false;     // its parent was stolen from the processor that runs it
    bool is_suspended = false;  // its frame was suspended in a join
  };
  struct charge {
    std::uint64_t overhead = 0, work = 0;
  };

  [[nodiscard]] std::uint32_t size() const {
    return static_cast<std::uint32_t>(processors_.size());
  }
  static event take(events& from) {
    const event first = from.top();
    from.pop();
    return first;
  }

  void begin(std::uint32_t p, thread_id thread, std::uint64_t now, charge before) {
    auto& me = processors_[p];
    const auto length = costs_.length(threads_.weight(thread), running_ > 0);
    me.thread = thread;
    me.work = before.work + length;
    me.overhead = before.overhead;
    me.ends = now + me.overhead + me.work;
    if (me.ends > timed_costs::longest) throw usage_error("the run would take more than a month");
    ++running_;
    runners_.emplace(me.ends, p);
  }

  void end_instruction() {
    const auto [now, p] = take(runners_);
    auto& me = processors_[p];
    --running_;
    result_.time_ps = now;
    result_.work_ps += me.work;
    result_.overhead_ps += me.overhead;
    const thread_id thread = std::exchange(me.thread, no_id);
    const outcome did = threads_.execute(thread);
    ++result_.instructions;
    result_.peak_space = std::max(result_.peak_space, threads_.space());
    charge before;
    for (const thread_id enabled : did.enabled) {
      if (enabled == no_id) continue;
      auto& its = family_of(enabled);
      if (std::exchange(its.is_suspended, false)) before.overhead += costs_.suspend;
      its.last_child = no_id;
      push(p, enabled, now, before);
    }
    if (did.spawned != no_id) {
      family_of(did.spawned) = {};
      family_of(thread).last_child = did.spawned;
      if (did.thread == outcome::fate::goes_on) leave_parent(p, thread, now, before);
      return begin(p, did.spawned, now, before);
    }
    if (did.thread == outcome::fate::goes_on) return begin(p, thread, now, before);
    if (did.thread == outcome::fate::died) end_child(thread, did, before);
    if (!me.deque.empty()) return begin(p, pop(me), now, before);
    me.overhead = before.overhead;
    me.since = now + before.overhead;
    thieves_.emplace(me.since, p);
  }

  void leave_parent(std::uint32_t p, thread_id parent, std::uint64_t now, charge& before) {
    if constexpr (requires { threads_.waits_next(parent); }) {
      if (threads_.waits_next(parent)) {
        before.work += costs_.length(threads_.weight(parent), running_ > 0);
        threads_.execute(parent);
        ++result_.instructions;
        return;
      }
    }
    before.overhead += running_ > 0 ? costs_.busy_fork : costs_.fork;
    ++result_.forks;
    push(p, parent, now, before);
  }

  void end_child(thread_id child, const outcome& did, charge& before) {
    const thread_id parent = threads_.parent(child);
    if (parent == no_id) return;
    if (family_of(parent).last_child == child) family_of(parent).last_child = no_id;
    const bool enables = did.enabled[0] == parent || did.enabled[1] == parent;
    if (!std::exchange(family_of(child).is_orphan, false) || enables) return;
    family_of(parent).is_suspended = true;
    before.overhead += costs_.suspend;
    ++result_.suspensions;
  }

  // --- thieves -----------------------------------------------------------------------------------

  void look(event at) {
    const auto [now, p] = at;
    auto& me = processors_[p];
    result_.overhead_ps += std::exchange(me.overhead, 0);
    if (me.victim != no_id) return take_from(std::exchange(me.victim, no_id), p, now);
    if (rich_ == 0 && costs_.is_uniform()) return look_in_vain(p, now);
    const auto victim = choose_victim(p);
    ++result_.attempts;
    const auto& target = processors_[victim];
    if (target.deque.empty()) return fail(p, victim, now);
    const auto& distance = costs_.between(p, victim);
    me.victim = victim;
    const auto patient_until = std::max(now, std::min(target.ends, now + distance.answer));
    thieves_.emplace(patient_until, p);
  }

  void take_from(std::uint32_t victim, std::uint32_t p, std::uint64_t now) {
    auto& target = processors_[victim];
    if (target.deque.empty()) return fail(p, victim, now);
    if (target.gives_again > now) {
      processors_[p].victim = victim;
      thieves_.emplace(target.gives_again, p);
      return;
    }
    const thread_id loot = target.deque.pop_top();
    if (target.deque.empty()) --rich_;
    const auto& distance = costs_.between(p, victim);
    target.gives_again = now + distance.steal;
    ++result_.steals;
    const auto child = family_of(loot).last_child;
    if (child != no_id) family_of(child).is_orphan = true;
    begin(p, loot, now, {distance.steal, 0});
  }

  void fail(std::uint32_t p, std::uint32_t victim, std::uint64_t now) {
    auto& me = processors_[p];
    if (rich_ == 0 && now - me.since >= costs_.awake) return sleep(p, now);
    thieves_.emplace(now + costs_.between(p, victim).failed_attempt, p);
  }

  // No deque has a thread before the next instruction ends, so all attempts up to then fail.
  void look_in_vain(std::uint32_t p, std::uint64_t now) {
    const auto& me = processors_[p];
    const auto each = costs_.between(p, p).failed_attempt;
    const auto attempts_in = [each](std::uint64_t time) { return (time + each - 1) / each; };
    const auto awake_for = costs_.awake - std::min(costs_.awake, now - me.since);
    const auto until_sleep = attempts_in(std::min(awake_for, timed_costs::longest));
    const auto until_chance = std::max<std::uint64_t>(1, attempts_in(runners_.top().first - now));
    const auto attempts = std::min(until_sleep, until_chance);
    result_.attempts += attempts;
    if (until_sleep <= until_chance && costs_.awake != UINT64_MAX)
      return sleep(p, now + attempts * each);
    thieves_.emplace(now + attempts * each, p);
  }

  void sleep(std::uint32_t p, std::uint64_t now) {
    processors_[p].since = now;
    sleepers_.push_back(p);
  }

  // A processor that looked in vain fell asleep up to one attempt later than `now`.
  void end_sleep(std::uint32_t p, std::uint64_t now) {
    const auto since = processors_[p].since;
    if (now > since) result_.asleep_ps += now - since;
  }

  [[nodiscard]] std::uint32_t choose_victim(std::uint32_t thief) {
    const auto victim = static_cast<std::uint32_t>(random_.below(size() - 1));
    return victim + (victim >= thief ? 1 : 0);
  }

  // --- deques ------------------------------------------------------------------------------------

  void push(std::uint32_t p, thread_id thread, std::uint64_t now, charge& before) {
    auto& deque = processors_[p].deque;
    if (deque.empty()) ++rich_;
    deque.push_bottom(thread);
    if (sleepers_.empty()) return;
    const auto sleeper = sleepers_.back();
    sleepers_.pop_back();
    auto& other = processors_[sleeper];
    end_sleep(sleeper, now);
    other.since = std::max(now, other.since) + costs_.wake;
    thieves_.emplace(other.since, sleeper);
    before.overhead += costs_.waking;
    ++result_.wakes;
  }

  thread_id pop(processor& me) {
    const thread_id thread = me.deque.pop_bottom();
    if (me.deque.empty()) --rich_;
    return thread;
  }

  family& family_of(thread_id id) {
    if (families_.size() <= id) families_.resize(id + std::size_t{1});
    return families_[id];
  }

  Threads& threads_;
  timed_costs costs_;
  rng random_;
  std::vector<processor> processors_;
  std::vector<family> families_;         // by thread
  std::vector<std::uint32_t> sleepers_;  // the last one is woken first
  events runners_;                       // ends of instructions
  events thieves_;                       // when a processor without work looks, or gets an answer
  std::uint32_t rich_ = 0;               // deques that are not empty
  std::uint32_t running_ = 0;            // processors that execute an instruction
  timed_result result_;
};

}  // namespace heist::lab
