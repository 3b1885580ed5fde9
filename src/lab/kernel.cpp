#include "lab/kernel.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <heist/error.hpp>

namespace heist::lab {

namespace {

class dedicated : public kernel {
 public:
  void choose(std::uint64_t, const std::vector<process_state>& processes,
              std::vector<std::uint32_t>& chosen) override {
    chosen.resize(processes.size());
    std::iota(chosen.begin(), chosen.end(), 0U);
  }
};

class benign : public kernel {
 public:
  benign(std::uint32_t mean, std::uint64_t seed) : mean_(mean), random_(seed, 1) {}

  void choose(std::uint64_t, const std::vector<process_state>& processes,
              std::vector<std::uint32_t>& chosen) override {
    const auto count =
        std::min<std::uint64_t>(random_.between(1, 2 * std::uint64_t{mean_} - 1), processes.size());
    chosen.resize(processes.size());
    std::iota(chosen.begin(), chosen.end(), 0U);
    for (std::size_t i = 0; i < count; ++i)
      std::swap(chosen[i], chosen[i + random_.below(chosen.size() - i)]);
    chosen.resize(count);
  }

 private:
  std::uint32_t mean_;
  rng random_;
};

// So many in turn, from `first` on.
class in_turns : public kernel {
 public:
  in_turns(std::uint32_t first, std::uint32_t count, std::uint64_t length)
      : first_(first), count_(count), length_(length) {}

  void choose(std::uint64_t step, const std::vector<process_state>& processes,
              std::vector<std::uint32_t>& chosen) override {
    chosen.clear();
    const auto all = static_cast<std::uint32_t>(processes.size()) - first_;
    const auto begin = (step - 1) / length_ * count_ % all;
    for (std::uint32_t i = 0; i < std::min(count_, all); ++i)
      chosen.push_back(first_ + static_cast<std::uint32_t>((begin + i) % all));
  }

 private:
  std::uint32_t first_, count_;
  std::uint64_t length_;
};

enum class favour { idle, without_victims, working };

// Ranks processes by what they do. Among equals it goes in turn.
class adaptive : public kernel {
 public:
  adaptive(favour whom, std::uint32_t count) : whom_(whom), count_(count) {}

  void choose(std::uint64_t step, const std::vector<process_state>& processes,
              std::vector<std::uint32_t>& chosen) override {
    chosen.clear();
    const auto all = static_cast<std::uint32_t>(processes.size());
    for (int rank = 0; rank < 3; ++rank) {
      for (std::uint32_t i = 0; i < all && chosen.size() < count_; ++i) {
        const auto p = static_cast<std::uint32_t>((step + i) % all);
        if (rank_of(processes[p]) == rank) chosen.push_back(p);
      }
    }
  }

 private:
  [[nodiscard]] int rank_of(const process_state& process) const {
    if (whom_ == favour::working) return process.works ? 0 : 1;
    if (!process.works && process.deque_size == 0) return 0;
    return whom_ == favour::without_victims && process.deque_size > 0 ? 2 : 1;
  }

  favour whom_;
  std::uint32_t count_;
};

// Theorem 1: nobody for k steps, everybody for Tinf steps, then floor(PA') with PA' = Tinf P / (k + Tinf).
class lower_bound : public kernel {
 public:
  lower_bound(std::uint64_t k, std::uint64_t span, std::uint32_t processes)
      : k_(k), span_(span), rest_(static_cast<std::uint32_t>(span * processes / (k + span))) {}

  void choose(std::uint64_t step, const std::vector<process_state>& processes,
              std::vector<std::uint32_t>& chosen) override {
    const auto all = static_cast<std::uint32_t>(processes.size());
    const auto count = step <= k_ ? 0 : step <= k_ + span_ ? all : rest_;
    chosen.clear();
    for (std::uint32_t i = 0; i < count; ++i)
      chosen.push_back(static_cast<std::uint32_t>((step + i) % all));
  }
  [[nodiscard]] std::uint64_t silence() const override { return k_; }

 private:
  std::uint64_t k_, span_;
  std::uint32_t rest_;
};

}  // namespace

std::string_view to_string(yield_policy policy) {
  switch (policy) {
    case yield_policy::none:
      return "none";
    case yield_policy::to_random:
      return "to-random";
    case yield_policy::to_all:
      return "to-all";
  }
  return {};
}

const std::vector<kernel_name>& kernels() {
  constexpr std::uint64_t much = 1'000'000;
  static const std::vector<kernel_name> all = {
      {"dedicated", "nothing", "every process at every step", {}},
      {"benign", "nothing", "1 to 2n - 1 processes, chosen at random", {{"n", 1, much, 4}}},
      {"in-turns",
       "oblivious",
       "n processes for so many steps, then the next n",
       {{"n", 1, much, 4}, {"steps", 1, much, 1}}},
      {"starve-first",
       "oblivious",
       "n processes in turn, never the one that has the root",
       {{"n", 1, much, 4}}},
      {"starve-victims",
       "adaptive",
       "n processes, those with threads to steal last",
       {{"n", 1, much, 4}}},
      {"starve-thieves", "adaptive", "n processes, those without work last", {{"n", 1, much, 4}}},
      {"idle-only", "adaptive", "n processes, those without work first", {{"n", 1, much, 4}}},
      {"lower-bound",
       "oblivious",
       "Theorem 1: none for k steps, all for Tinf, then few",
       {{"k", 0, 1'000'000'000, 0}}},
  };
  return all;
}

std::unique_ptr<kernel> make_kernel(std::string_view text, std::uint32_t processes,
                                    std::uint64_t span, std::uint64_t seed) {
  const spec word(text);
  const auto& all = kernels();
  const auto known = std::find_if(
      all.begin(), all.end(), [&](const kernel_name& each) { return each.name == word.name(); });
  if (known == all.end()) {
    std::string names;
    for (const auto& each : all) names += fmt::format("{}{}", names.empty() ? "" : ", ", each.name);
    throw usage_error(fmt::format("unknown kernel '{}': there are {}", word.name(), names));
  }
  const auto values = word.arguments(known->arguments);
  const auto name = known->name;
  if (name == "dedicated") return std::make_unique<dedicated>();
  const auto n = static_cast<std::uint32_t>(values[0]);
  if (name == "benign") return std::make_unique<benign>(n, seed);
  if (name == "in-turns") return std::make_unique<in_turns>(0, n, values[1]);
  if (name == "starve-first") {
    if (processes < 2)
      throw usage_error(fmt::format("{}: there is nobody else to run where P is 1", text));
    return std::make_unique<in_turns>(1, n, 1);
  }
  if (name == "starve-victims") return std::make_unique<adaptive>(favour::without_victims, n);
  if (name == "starve-thieves") return std::make_unique<adaptive>(favour::working, n);
  if (name == "idle-only") return std::make_unique<adaptive>(favour::idle, n);
  if (span * processes < values[0] + span)
    throw usage_error(fmt::format(
        "{}: with P {} and Tinf {} it gives no processor after step k + Tinf; k is at most {}",
        text, processes, span, span * (processes - 1)));
  return std::make_unique<lower_bound>(values[0], span, processes);
}

// --- yields -----------------------------------------------------------------------------------------------------------

yield_rule::yield_rule(yield_policy policy, std::uint32_t processes, std::uint64_t seed)
    : policy_(policy),
      random_(seed, 2),
      last_run_(processes, 0),
      yielded_in_(processes, 0),
      target_(processes, 0),
      kept_in_(processes, 0) {}

void yield_rule::yields(std::uint32_t process, std::uint64_t step) {
  const auto processes = static_cast<std::uint32_t>(last_run_.size());
  if (policy_ == yield_policy::none || processes == 1) return;
  yielded_in_[process] = step;
  target_[process] = static_cast<std::uint32_t>(random_.below(processes));
}

bool yield_rule::may_run(std::uint32_t process) const {
  const auto since = yielded_in_[process];
  return since == 0 || last_run_[waits_for(process)] >= since;
}

// The process that keeps this one from running, if anything does.
std::uint32_t yield_rule::waits_for(std::uint32_t process) const {
  if (policy_ == yield_policy::to_random) return target_[process];
  return process == least_recent_ ? second_least_recent_ : least_recent_;
}

void yield_rule::find_least_recent() {
  const auto processes = static_cast<std::uint32_t>(last_run_.size());
  if (processes == 1) return;
  const auto is_earlier = [this](std::uint32_t a, std::uint32_t b) {
    return last_run_[a] < last_run_[b];
  };
  least_recent_ = is_earlier(1, 0) ? 1 : 0;
  second_least_recent_ = 1 - least_recent_;
  for (std::uint32_t p = 2; p < processes; ++p) {
    if (is_earlier(p, least_recent_))
      second_least_recent_ = std::exchange(least_recent_, p);
    else if (is_earlier(p, second_least_recent_))
      second_least_recent_ = p;
  }
}

// Whom a process waits for yielded earlier than it did, or not at all: so the way along those ends.
void yield_rule::keep(std::uint64_t step, std::vector<std::uint32_t>& chosen) {
  if (policy_ != yield_policy::none) {
    find_least_recent();
    std::size_t kept = 0;
    for (auto process : chosen) {
      while (!may_run(process)) process = waits_for(process);
      if (std::exchange(kept_in_[process], step) != step) chosen[kept++] = process;
    }
    chosen.resize(kept);
  }
  for (const auto process : chosen) last_run_[process] = step;
}

}  // namespace heist::lab
