#include "tests/unit/deque/linearizability.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <set>
#include <tuple>

namespace heist_test {

namespace {

struct sequential_deque {
  std::string items{};  // oldest first
  room left;

  // False: it would have answered otherwise.
  bool agrees(const operation& op, const deque_rules& rules) {
    switch (op.what) {
      case call::push:
        if (left.is_full(items.size())) return op.answer == reply::full;
        items += op.items;
        left.pushed();
        return op.answer == reply::done;
      case call::pop:
        if (items.empty() != (op.answer == reply::empty)) return false;
        if (!items.empty()) {
          if (items.substr(items.size() - 1) != op.items) return false;
          items.pop_back();
        }
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

class linearization {
 public:
  linearization(const history& of, const deque_rules& rules) : of_(of), rules_(rules) {}

  // Whether the operations that aren't done can follow, from this deque.
  bool can_follow(std::uint64_t done, const sequential_deque& deque) {
    if (done == all()) return true;
    if (!visited_.insert({done, deque.items, deque.left.positions()}).second) return false;
    for (std::size_t i = 0; i < of_.size(); ++i) {
      if (!may_be_next(i, done) || of_[i].answer == reply::lost) continue;
      sequential_deque after = deque;
      if (!after.agrees(of_[i], rules_)) continue;
      if (can_follow(done | bit(i) | lost_beside(i, done, deque.items), after)) return true;
    }
    return false;
  }

 private:
  static std::uint64_t bit(std::size_t i) { return std::uint64_t{1} << i; }
  [[nodiscard]] std::uint64_t all() const {
    return of_.size() == longest_history ? ~std::uint64_t{0} : bit(of_.size()) - 1;
  }

  // It isn't done, and none that isn't done returned before it was called.
  [[nodiscard]] bool may_be_next(std::size_t i, std::uint64_t done) const {
    if ((done & bit(i)) != 0) return false;
    for (std::size_t j = 0; j < of_.size(); ++j)
      if ((done & bit(j)) == 0 && of_[j].returned < of_[i].called) return false;
    return true;
  }

  // The steals that lost because of i, if i is next. Their moment is the one of i, so all that returned
  // before they were called is done already. To place one as early as possible never hinders others.
  [[nodiscard]] std::uint64_t lost_beside(std::size_t i, std::uint64_t done,
                                          const std::string& items) const {
    std::uint64_t found = 0;
    if (!makes_lose(of_[i], items)) return found;
    for (std::size_t j = 0; j < of_.size(); ++j)
      if (of_[j].answer == reply::lost && may_be_next(j, done) && overlap(of_[i], of_[j]))
        found |= bit(j);
    return found;
  }

  [[nodiscard]] bool makes_lose(const operation& op, const std::string& items) const {
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

  const history& of_;
  const deque_rules& rules_;
  std::set<std::tuple<std::uint64_t, std::string, std::size_t>> visited_;
};

}  // namespace

bool is_linearizable(const history& of, const deque_rules& rules, std::size_t capacity) {
  assert(of.size() <= longest_history);
  return linearization(of, rules).can_follow(0, {{}, room(rules.full, capacity)});
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
