#include "lab/schedulers/work_stealing.hpp"

#include <bit>
#include <utility>

#include "lab/schedulers/binomial.hpp"

namespace heist::lab {

work_stealing::work_stealing(std::uint32_t processors, const stealing_settings& settings,
                             attempts how, std::uint64_t seed)
    : processors_(processors),
      settings_(settings),
      how_(how),
      random_(seed),
      deques_(processors),
      hidden_(processors),
      height_(processors),
      place_(processors) {
  if (how == attempts::aggregated) {
    asked_in_.assign(processors, 0);
    return;
  }
  queues_.resize(processors);
  failures_.assign(processors, 0);
  if (settings.victims == victim_choice::lifeline) {
    lifelines_.resize(processors);
    naps_.assign(processors, 0);
  }
}

bool work_stealing::can_aggregate(const stealing_settings& settings) {
  return settings.victims == victim_choice::random && settings.access == access_model::reject &&
         settings.machine.is_uniform();
}

void work_stealing::account(run_result& result) const {
  result.attempts = attempts_;
  result.wait = wait_;
  result.steals = steals_;
  result.threads_stolen = threads_stolen_;
  result.resumed = resumed_;
  result.remote = remote_;
  result.peak_queue = peak_queue_;
}

// --- both ways -----------------------------------------------------------------------------------

// Of the threads that it gets, the thief executes the youngest. The others are then that thread's
// ancestors, as in every deque.
void work_stealing::rob(std::uint32_t victim, std::uint32_t thief) {
  auto& deque = deques_[victim];
  std::size_t count = 1;
  if (settings_.amount == steal_amount::k) count = std::min<std::size_t>(settings_.k, deque.size());
  if (settings_.amount == steal_amount::k_or_one && deque.size() >= settings_.k)
    count = settings_.k;
  if (settings_.amount == steal_amount::half) count = (deque.size() + 1) / 2;
  for (std::size_t i = 1; i < count; ++i) push(thief, deque.pop_top());
  loot_.push_back({thief, deque.pop_top()});
  if (deque.empty()) remove_rich(victim);
  ++steals_;
  threads_stolen_ += count;
}

void work_stealing::new_thieves_join() {
  thieves_.insert(thieves_.end(), new_thieves_.begin(), new_thieves_.end());
  new_thieves_.clear();
}

void work_stealing::steal(std::uint64_t step) {
  if (how_ == attempts::aggregated) {
    attempts_ += thieves_.size();
    steal_together(draw_binomial(random_, thieves_.size(), odds()));
  } else {
    steal_one_by_one(step);
  }
  new_thieves_join();
}

// Skips the steps in which no thief gets anything, up to `last`.
void work_stealing::skip_idle_steps(std::uint64_t& step, std::uint64_t last) {
  if (how_ == attempts::aggregated) {
    const auto failures = draw_failures(random_, thieves_.size(), odds(), last - step);
    attempts_ += failures * thieves_.size();
    step += failures;
    return;
  }
  if (!thieves_.empty() || queued_ > 0 || sleepers_have_work_) return;
  auto quiet = last;
  if (!under_way_.empty()) quiet = std::min(last, under_way_.begin()->first - 1);
  wait_ += (quiet - step) * outstanding_;
  step = quiet;
}

void work_stealing::steal_after_skip(std::uint64_t step) {
  if (how_ == attempts::one_by_one) return steal(step);
  attempts_ += thieves_.size();
  steal_together(draw_positive_binomial(random_, thieves_.size(), odds()));
}

// --- aggregated ----------------------------------------------------------------------------------

double work_stealing::odds() const {
  if (processors_ == 1) return 0;
  return static_cast<double>(rich_.size()) / (processors_ - 1);
}

// So many thieves ask a processor that has work. Which thieves these are is uniform too, as all are
// alike.
void work_stealing::steal_together(std::uint64_t requests) {
  ++round_;
  asked_.clear();
  for (std::uint64_t i = 0; i < requests; ++i) {
    const auto victim = rich_[random_.below(rich_.size())];
    if (std::exchange(asked_in_[victim], round_) != round_) asked_.push_back(victim);
  }
  for (const auto victim : asked_) {
    const auto i = random_.below(thieves_.size());
    const auto thief = std::exchange(thieves_[i], thieves_.back());
    thieves_.pop_back();
    rob(victim, thief);
  }
}

// --- one by one ----------------------------------------------------------------------------------

void work_stealing::steal_one_by_one(std::uint64_t step) {
  wait_ += outstanding_;
  send_requests(step);
  if (const auto arriving = under_way_.find(step); arriving != under_way_.end()) {
    for (const auto& each : arriving->second) receive(each);
    under_way_.erase(arriving);
  }
  std::size_t kept = 0;
  for (const auto victim : asked_victims_) {
    answer(victim);
    if (!queues_[victim].empty()) asked_victims_[kept++] = victim;
  }
  asked_victims_.resize(kept);
  answer_sleepers();
}

void work_stealing::send_requests(std::uint64_t step) {
  std::vector<std::uint32_t> senders;
  senders.swap(thieves_);
  for (const auto thief : senders) {
    ++attempts_;
    ++outstanding_;
    const auto victim = choose_victim(thief);
    const auto latency = settings_.machine.latency[settings_.machine.between(thief, victim)];
    if (latency == 1)
      receive({victim, thief});
    else
      under_way_[step + latency - 1].push_back({victim, thief});
  }
}

void work_stealing::receive(const request& sent) {
  auto& queue = queues_[sent.victim];
  if (queue.empty()) asked_victims_.push_back(sent.victim);
  queue.push_back(sent.thief);
  ++queued_;
}

void work_stealing::answer(std::uint32_t victim) {
  auto& queue = queues_[victim];
  std::size_t i = 0;
  if (settings_.answers == answer_order::last) i = queue.size() - 1;
  if (settings_.answers == answer_order::random) i = random_.below(queue.size());
  const auto thief = queue[i];
  queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(i));
  --queued_;
  --outstanding_;
  if (deques_[victim].empty()) {
    note_failure(thief);
  } else {
    failures_[thief] = 0;
    rob(victim, thief);
  }
  if (settings_.access == access_model::queue) return;
  for (const auto other : queue) note_failure(other);
  queued_ -= queue.size();
  outstanding_ -= queue.size();
  queue.clear();
}

void work_stealing::note_failure(std::uint32_t thief) {
  ++failures_[thief];
  if (settings_.victims == victim_choice::lifeline && failures_[thief] >= settings_.tries)
    go_to_sleep(thief);
  else
    thieves_.push_back(thief);
}

// Its requests to the hypercube neighbours cost no step: they are sent along with the last attempt.
void work_stealing::go_to_sleep(std::uint32_t thief) {
  ++asleep_;
  for (std::uint32_t bit = 1; bit < processors_; bit <<= 1U) {
    const std::uint32_t neighbour = thief ^ bit;
    if (neighbour >= processors_) continue;
    if (lifelines_[neighbour].empty()) guarded_.push_back(neighbour);
    lifelines_[neighbour].push_back({thief, naps_[thief]});
  }
}

void work_stealing::answer_sleepers() {
  sleepers_have_work_ = false;
  std::size_t kept = 0;
  for (const auto victim : guarded_) {
    auto& sleepers = lifelines_[victim];
    std::erase_if(sleepers, [this](const sleeper& s) { return naps_[s.thief] != s.nap; });
    if (!sleepers.empty() && !deques_[victim].empty()) {
      const auto thief = sleepers.front().thief;
      sleepers.erase(sleepers.begin());
      ++naps_[thief];
      failures_[thief] = 0;
      --asleep_;
      rob(victim, thief);
    }
    if (sleepers.empty()) continue;
    sleepers_have_work_ = sleepers_have_work_ || !deques_[victim].empty();
    guarded_[kept++] = victim;
  }
  guarded_.resize(kept);
}

std::uint32_t work_stealing::choose_victim(std::uint32_t thief) {
  std::uint32_t first = 0;
  std::uint32_t count = processors_;
  if (settings_.victims == victim_choice::nearest) {
    const auto& sizes = settings_.machine.sizes;
    for (std::size_t level = failures_[thief] / settings_.tries; level < sizes.size(); ++level) {
      const auto begin = thief / sizes[level] * sizes[level];
      const auto size = std::min(sizes[level], processors_ - begin);
      if (size < 2) continue;
      first = begin;
      count = size;
      break;
    }
  }
  const auto victim = first + static_cast<std::uint32_t>(random_.below(count - 1));
  return victim + (victim >= thief ? 1 : 0);
}

}  // namespace heist::lab
