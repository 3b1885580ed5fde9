// Work stealing with a ready deque for each processor (Blumofe, Leiserson 1999, section 4). The
// four rules, where a thread A is executed:
//
//   spawns B    A goes to the bottom of the deque, B is executed next (or the other way round:
//               child stealing)
//   stalls      the thread at the bottom is executed next; where there is none, the processor
//               becomes a thief
//   dies        the same
//   enables B   B goes to the bottom; then A stalls, dies or goes on
//
// A thief sends a request to another processor, in a step of its own; each deque answers one
// request a step, after the instructions of the step, with the thread at its top. The access model
// says what happens to the other requests. The thief executes what it got from the next step on.
//
// Attempts are simulated one by one. Where thieves are all alike (random victims, requests that
// fail rather than wait, one latency) they can be aggregated instead: of n thieves that ask P - 1
// others, m of whom have work, Binomial(n, m / (P - 1)) ask one of those m, and which thieves these
// are is uniform. Then a step costs the same however many attempts fail, and steps in which all
// fail cost nothing: their number is geometric.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "lab/model/random.hpp"
#include "lab/model/run_result.hpp"
#include "lab/model/thread_system.hpp"
#include "lab/schedulers/ready_deque.hpp"
#include "lab/schedulers/settings.hpp"

namespace heist::lab {

enum class attempts { one_by_one, aggregated };

class work_stealing {
 public:
  // After so many steps without a running thread the run is a deadlock. Fewer don't tell, as
  // requests may be under way.
  static constexpr std::uint64_t patience = 1'000'000;

  work_stealing(std::uint32_t processors, const stealing_settings& settings, attempts how,
                std::uint64_t seed);

  [[nodiscard]] static bool can_aggregate(const stealing_settings& settings);

  [[nodiscard]] const ready_deque& deque_of(std::uint32_t p) const { return deques_[p]; }
  [[nodiscard]] std::uint64_t attempts_so_far() const { return attempts_; }

  template <class Assign>
  void start(thread_id root, Assign assign) {
    assign(0, root);
    for (std::uint32_t p = 1; p < processors_; ++p) thieves_.push_back(p);
  }

  // Applies the four rules. Returns what p executes next; with no_id it is a thief from the next
  // step on.
  thread_id after(std::uint32_t p, thread_id thread, const outcome& did) {
    for (const thread_id enabled : did.enabled) {
      if (enabled == no_id) continue;
      ++resumed_;
      if (stalled_on_[enabled] != p) ++remote_;
      push(p, enabled);
    }
    if (did.thread == outcome::fate::goes_on) {
      if (did.spawned == no_id) return thread;
      const bool is_child_first = settings_.spawn == spawn_order::child_first;
      const thread_id left = is_child_first ? thread : did.spawned;
      if (settings_.lazy != 0 && deques_[p].size() >= settings_.lazy)
        hidden_[p].push_back({left, height_[p]});
      else
        push(p, left);
      return is_child_first ? did.spawned : thread;
    }
    if (did.thread == outcome::fate::stalled) {
      if (thread >= stalled_on_.size()) stalled_on_.resize(thread + std::size_t{1});
      stalled_on_[thread] = p;
    }
    if (did.spawned != no_id) return did.spawned;
    return pop(p);
  }

  template <class Assign>
  void end_step(std::uint64_t step, Assign assign) {
    if (!thieves_.empty() || !new_thieves_.empty() || outstanding_ > 0 || asleep_ > 0) steal(step);
    hand_out(assign);
  }

  template <class Assign>
  void between(std::uint64_t& step, std::uint64_t last, Assign assign) {
    while (step < last && loot_.empty()) {
      skip_idle_steps(step, last);
      if (step == last) return;
      steal_after_skip(++step);
    }
    hand_out(assign);
  }

  void account(run_result& result) const;

 private:
  // What only its own processor can take: it lies above `height` of those that its deque has got
  // from its own processor, and not given back to it.
  struct hidden {
    thread_id thread;
    std::uint64_t height;
  };
  struct loot {
    std::uint32_t thief;
    thread_id thread;
  };
  struct sleeper {
    std::uint32_t thief;
    // Which of its naps: it registers with several processors, and one of them wakes it.
    std::uint32_t nap;
  };
  struct request {
    std::uint32_t victim, thief;
  };

  template <class Assign>
  void hand_out(Assign assign) {
    for (const auto& each : loot_) assign(each.thief, each.thread);
    loot_.clear();
  }

  // The youngest thread of a processor; with none it becomes a thief.
  thread_id pop(std::uint32_t p) {
    if (!hidden_[p].empty() && hidden_[p].back().height == height_[p]) {
      const thread_id next = hidden_[p].back().thread;
      hidden_[p].pop_back();
      return next;
    }
    auto& deque = deques_[p];
    if (deque.empty()) {
      // Those that lay above what lies hidden have been stolen.
      if (!hidden_[p].empty()) {
        height_[p] = hidden_[p].back().height;
        return pop(p);
      }
      new_thieves_.push_back(p);
      return no_id;
    }
    const thread_id next = deque.pop_bottom();
    --height_[p];
    if (deque.empty()) remove_rich(p);
    return next;
  }

  void push(std::uint32_t p, thread_id thread) {
    auto& deque = deques_[p];
    if (deque.empty()) add_rich(p);
    deque.push_bottom(thread);
    ++height_[p];
    if (deque.size() > peak_queue_) peak_queue_ = deque.size();
  }

  void add_rich(std::uint32_t p) {
    place_[p] = static_cast<std::uint32_t>(rich_.size());
    rich_.push_back(p);
  }
  void remove_rich(std::uint32_t p) {
    rich_[place_[p]] = rich_.back();
    place_[rich_.back()] = place_[p];
    rich_.pop_back();
  }

  void steal(std::uint64_t step);
  void skip_idle_steps(std::uint64_t& step, std::uint64_t last);
  void steal_after_skip(std::uint64_t step);
  void rob(std::uint32_t victim, std::uint32_t thief);
  void new_thieves_join();

  [[nodiscard]] double odds() const;
  void steal_together(std::uint64_t requests);

  void steal_one_by_one(std::uint64_t step);
  void send_requests(std::uint64_t step);
  void receive(const request& sent);
  void answer(std::uint32_t victim);
  void answer_sleepers();
  void note_failure(std::uint32_t thief);
  void go_to_sleep(std::uint32_t thief);
  [[nodiscard]] std::uint32_t choose_victim(std::uint32_t thief);

  std::uint32_t processors_;
  stealing_settings settings_;
  attempts how_;
  rng random_;
  std::vector<ready_deque> deques_;
  std::vector<std::vector<hidden>> hidden_;
  std::vector<std::uint64_t> height_;       // by processor: see hidden
  std::vector<std::uint32_t> rich_;         // processors whose deque isn't empty
  std::vector<std::uint32_t> place_;        // of a rich processor in rich_
  std::vector<std::uint32_t> thieves_;      // they send a request in the next step
  std::vector<std::uint32_t> new_thieves_;  // they became thieves in this step
  std::vector<loot> loot_;                  // what this step's requests got
  std::vector<std::uint32_t> stalled_on_;   // by thread, if it has stalled

  // aggregated
  std::vector<std::uint32_t> asked_;     // rich processors asked in this step
  std::vector<std::uint64_t> asked_in_;  // by processor: the round of requests that last asked it
  std::uint64_t round_ = 0;

  // one by one
  std::uint64_t outstanding_ = 0;  // requests without an answer
  std::uint64_t queued_ = 0;       // the outstanding requests that have arrived
  std::map<std::uint64_t, std::vector<request>> under_way_;  // by the step in which they arrive
  std::vector<std::vector<std::uint32_t>> queues_;           // by victim: thieves that wait
  std::vector<std::uint32_t> asked_victims_;                 // whose queue isn't empty
  std::vector<std::uint32_t> failures_;          // by thief: since it last got something
  std::vector<std::vector<sleeper>> lifelines_;  // by victim
  std::vector<std::uint32_t> guarded_;           // victims with lifelines
  std::vector<std::uint32_t> naps_;              // by thief
  std::uint64_t asleep_ = 0;
  bool sleepers_have_work_ = false;

  std::uint64_t attempts_ = 0, wait_ = 0, steals_ = 0, threads_stolen_ = 0, resumed_ = 0,
                remote_ = 0, peak_queue_ = 0;
};

}  // namespace heist::lab
