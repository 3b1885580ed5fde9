#include "tests/unit/deque/linearizability.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <map>
#include <set>
#include <tuple>

namespace heist_test {

namespace {

struct sequential_deque {
  std::string items{};  // oldest first
  room left;

  // Returns false if the sequential deque would have answered otherwise.
  bool agrees(const operation& op, const deque_rules& rules) {
    switch (op.what) {
      case call::push:
        if (left.is_full(items.size())) return op.answer == reply::full;
        items += op.items;
        left.pushed();
        return op.answer == reply::done;
      case call::pop:
        if (items.empty() != (op.answer == reply::empty)) return false;
        if (items.empty()) {
          left.found_nothing();
          return true;
        }
        if (items.substr(items.size() - 1) != op.items) return false;
        items.pop_back();
        left.popped(items.size());
        return true;
      case call::steal:
        if (op.answer == reply::empty) return items.empty() || rules.hides;
        if (op.items.empty() || !items.starts_with(op.items)) return false;
        items.erase(0, op.items.size());
        return true;
      case call::expose:
        return true;
    }
    return false;
  }
};

bool overlap(const operation& a, const operation& b) {
  return a.called < b.returned && b.called < a.returned;
}

using mask = std::uint64_t;
constexpr mask bit(std::size_t i) { return mask{1} << i; }

class linearization {
 public:
  linearization(const history& of, const deque_rules& rules) : of_(of), rules_(rules) {
    for (std::size_t i = 0; i < of.size(); ++i)
      if (of[i].answer == reply::lost) {
        lost_ |= bit(i);
        lost_of_[of[i].thread].push_back(&of[i]);
      }
    for (auto& [thread, steals] : lost_of_) std::sort(steals.begin(), steals.end(), called_before);
  }

  bool exists(std::size_t capacity) {
    return can_follow(lost_, 0, {{}, room(rules_.full, capacity)});
  }

 private:
  static bool called_before(const operation* a, const operation* b) {
    return a->called < b->called;
  }

  // Whether the operations that are not done yet can follow, starting from this deque. The winners
  // are the operations done to which a steal may have lost.
  bool can_follow(mask done, mask winners, const sequential_deque& deque) {
    if (static_cast<std::size_t>(std::popcount(done)) == of_.size()) return all_lost_to(winners);
    if (!visited_.insert({done, winners, deque.items, deque.left.positions()}).second) return false;
    for (std::size_t i = 0; i < of_.size(); ++i) {
      if (!may_be_next(i, done)) continue;
      sequential_deque after = deque;
      if (!after.agrees(of_[i], rules_)) continue;
      const mask won = lost_ != 0 && wins(of_[i], deque.items) ? bit(i) : 0;
      if (can_follow(done | bit(i), winners | won, after)) return true;
    }
    return false;
  }

  // The operation is not done, and none that is not done returned before it was called.
  [[nodiscard]] bool may_be_next(std::size_t i, mask done) const {
    if ((done & bit(i)) != 0) return false;
    for (std::size_t j = 0; j < of_.size(); ++j)
      if ((done & bit(j)) == 0 && of_[j].returned < of_[i].called) return false;
    return true;
  }

  [[nodiscard]] bool wins(const operation& op, const std::string& items) const {
    const bool oldest = op.answer == reply::taken && (op.what == call::steal || items.size() == 1);
    switch (rules_.lost) {
      case loss::never:
        return false;
      case loss::oldest:
        return oldest;
      case loss::reset:
        return oldest || (op.what == call::pop && op.answer == reply::empty);
      case loss::any_taken:
        return op.answer == reply::taken;
      case loss::any_call:
        return true;
    }
    return false;
  }

  // The lost steals of each thread follow one another, and each needs a winner of its own. A winner
  // overlaps a run of consecutive ones; the first steal gets the winner that returned first.
  [[nodiscard]] bool all_lost_to(mask winners) const {
    for (const auto& [thread, steals] : lost_of_) {
      mask left = winners;
      for (const operation* steal : steals) {
        const std::size_t best = first_over(*steal, left);
        if (best == of_.size()) return false;
        left &= ~bit(best);
      }
    }
    return true;
  }

  [[nodiscard]] std::size_t first_over(const operation& steal, mask winners) const {
    std::size_t best = of_.size();
    for (std::size_t i = 0; i < of_.size(); ++i)
      if ((winners & bit(i)) != 0 && overlap(of_[i], steal) &&
          (best == of_.size() || of_[i].returned < of_[best].returned))
        best = i;
    return best;
  }

  const history& of_;
  const deque_rules& rules_;
  mask lost_ = 0;
  std::map<unsigned, std::vector<const operation*>> lost_of_;  // by thread
  std::set<std::tuple<mask, mask, std::string, std::size_t>> visited_;
};

}  // namespace

bool is_linearizable(const history& of, const deque_rules& rules, std::size_t capacity) {
  assert(of.size() <= longest_history);
  return linearization(of, rules).exists(capacity);
}

std::string to_text(history of) {
  static constexpr const char* calls[] = {"push", "pop", "steal", "expose"};
  static constexpr const char* replies[] = {"done", "full", "taken", "empty", "lost"};
  std::sort(of.begin(), of.end(),
            [](const operation& a, const operation& b) { return a.called < b.called; });
  std::string text;
  for (const operation& op : of) {
    text += "thread " + std::to_string(op.thread) + ", from " + std::to_string(op.called) + " to " +
            std::to_string(op.returned) + ": " + calls[static_cast<unsigned>(op.what)] + " " +
            replies[static_cast<unsigned>(op.answer)];
    for (const char item : op.items) text += " " + std::to_string(item);
    text += "\n";
  }
  return text;
}

}  // namespace heist_test
