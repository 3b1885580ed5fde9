// The kernels: a dedicated machine, one ruled by chance, two oblivious ones and an adaptive one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "lab/engines/kernel.hpp"
#include "lab/model/random.hpp"

namespace heist::lab {

class dedicated_kernel final : public kernel {
 public:
  void choose(std::uint64_t, const std::vector<process_state>& processes,
              std::vector<std::uint32_t>& chosen) override {
    chosen.resize(processes.size());
    std::iota(chosen.begin(), chosen.end(), 0U);
  }
};

class benign_kernel final : public kernel {
 public:
  benign_kernel(std::uint32_t mean, std::uint64_t seed) : mean_(mean), random_(seed, 1) {}

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

// Gives `count` processes a processor in turn; processes before `first` never get one.
class kernel_in_turns final : public kernel {
 public:
  kernel_in_turns(std::uint32_t first, std::uint32_t count, std::uint64_t length)
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

// Prefers processes by what they do; equal ones take turns.
class adaptive_kernel final : public kernel {
 public:
  adaptive_kernel(favour whom, std::uint32_t count) : whom_(whom), count_(count) {}

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

// The kernel of Theorem 1 runs no process for k steps, all for Tinf steps, then floor(PA') of them,
// where PA' = Tinf P / (k + Tinf).
class lower_bound_kernel final : public kernel {
 public:
  lower_bound_kernel(std::uint64_t k, std::uint64_t span, std::uint32_t processes)
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

}  // namespace heist::lab
