// Work dealt out by a plan that is made beforehand. A thread that is an iteration of a loop
// (place_among) belongs to the processor that the plan names, any other thread to its spawner's
// processor. Processors execute their own threads, oldest first, and never help each other.
//
// With assignment::random it is work sharing, with which Blumofe and Leiserson compare work
// stealing (section 1): each new thread is given to some processor, whether that has work or not,
// and a stalled one continues on the processor that enables it, as with work stealing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "lab/model/random.hpp"
#include "lab/model/run_result.hpp"
#include "lab/model/thread_system.hpp"

namespace heist::lab {

enum class assignment { blocks, interleaved, random };

template <thread_system Threads>
class planned {
 public:
  static constexpr std::uint64_t patience = 0;

  planned(const Threads& threads, std::uint32_t processors, assignment how, std::uint64_t seed)
      : threads_(&threads), processors_(processors), how_(how), random_(seed), queues_(processors) {
    is_idle_.assign(processors, true);
    is_idle_[0] = false;
  }

  template <class Assign>
  void start(thread_id root, Assign assign) {
    belongs(root, 0);
    assign(0, root);
  }

  thread_id after(std::uint32_t p, thread_id thread, const outcome& did) {
    for (const thread_id enabled : did.enabled) {
      if (enabled == no_id) continue;
      ++resumed_;
      if (how_ == assignment::random) {
        if (home_[enabled] != p) ++remote_;
        home_[enabled] = p;
      }
      add(enabled);
    }
    if (did.spawned != no_id) {
      const auto place = threads_->place(did.spawned);
      const auto to = how_ == assignment::random
                          ? static_cast<std::uint32_t>(random_.below(processors_))
                      : place.count == 0 ? p
                                         : processor_for(place);
      if (to != p) ++given_away_;
      belongs(did.spawned, to);
      add(did.spawned);
    }
    if (did.thread == outcome::fate::goes_on) return thread;
    is_idle_[p] = true;
    if (!queues_[p].empty()) waiting_.push_back(p);
    return no_id;
  }

  template <class Assign>
  void end_step(std::uint64_t, Assign assign) {
    for (const auto p : waiting_) {
      if (!is_idle_[p] || queues_[p].empty()) continue;
      is_idle_[p] = false;
      assign(p, queues_[p].front());
      queues_[p].pop_front();
    }
    waiting_.clear();
  }

  template <class Assign>
  void between(std::uint64_t& step, std::uint64_t last, Assign) {
    step = last;
  }

  void account(run_result& result) const {
    result.resumed = resumed_;
    result.peak_queue = peak_;
    if (how_ != assignment::random) return;
    result.threads_stolen = given_away_;
    result.remote = remote_;
  }

 private:
  [[nodiscard]] std::uint32_t processor_for(const place_among& place) const {
    const auto p = how_ == assignment::interleaved
                       ? place.index % processors_
                       : place.index / ((place.count + processors_ - 1) / processors_);
    return static_cast<std::uint32_t>(p);
  }

  void belongs(thread_id thread, std::uint32_t p) {
    if (thread >= home_.size()) home_.resize(thread + std::size_t{1});
    home_[thread] = p;
  }

  void add(thread_id thread) {
    const auto p = home_[thread];
    queues_[p].push_back(thread);
    peak_ = std::max<std::uint64_t>(peak_, queues_[p].size());
    waiting_.push_back(p);
  }

  const Threads* threads_;
  std::uint32_t processors_;
  assignment how_;
  rng random_;
  std::vector<std::deque<thread_id>> queues_;
  std::vector<bool> is_idle_;
  std::vector<std::uint32_t> waiting_;  // processors that have a thread and may be idle
  std::vector<std::uint32_t> home_;     // by thread: its processor
  std::uint64_t peak_ = 0, resumed_ = 0, given_away_ = 0, remote_ = 0;
};

}  // namespace heist::lab
