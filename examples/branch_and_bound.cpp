// The knapsack problem by branch and bound: every item is taken or left, both branches of each
// choice are forked, and a branch that cannot beat the best load known so far is cut off. A load
// that reaches the upper bound of all loads cannot be beaten at all: the function that finds one
// cancels the whole search.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <functional>
#include <random>
#include <stop_token>
#include <vector>

#include <heist/heist.hpp>

namespace {

struct item {
  long weight;
  long value;
};

class search {
 public:
  search(const std::vector<item>& items, long room) : items_(items), room_(room) {}

  long run() {
    goal_ = bound(0, room_, 0);
    try {
      visit(0, room_, 0);
    } catch (const heist::cancelled&) {
    }  // one load reached the goal
    return best_.load(std::memory_order_relaxed);
  }
  long choices() { return choices_.combine(std::plus{}); }
  bool was_stopped() const { return stop_.stop_requested(); }

 private:
  // The most value that the items from i on can add: they are taken in order of value by weight,
  // the last one in part.
  [[nodiscard]] long bound(std::size_t i, long room, long value) const {
    for (; i < items_.size(); ++i) {
      if (items_[i].weight > room) return value + items_[i].value * room / items_[i].weight;
      room -= items_[i].weight;
      value += items_[i].value;
    }
    return value;
  }

  void visit(std::size_t i, long room, long value) {
    ++choices_.local();
    // Relaxed: an old value only costs a few choices that could have been cut off.
    long best = best_.load(std::memory_order_relaxed);
    while (best < value && !best_.compare_exchange_weak(best, value, std::memory_order_relaxed,
                                                        std::memory_order_relaxed)) {
    }
    if (value == goal_) stop_.request_stop();
    if (i == items_.size() || bound(i, room, value) <= std::max(best, value)) return;
    const item& it = items_[i];
    const auto take = [&] { visit(i + 1, room - it.weight, value + it.value); };
    const auto leave = [&] { visit(i + 1, room, value); };
    if (it.weight > room) return leave();
    heist::fork_join(stop_, take, leave);  // begins no branch after a stop
  }

  const std::vector<item>& items_;  // the most valuable by weight first
  const long room_;
  long goal_ = 0;                    // no load is worth more
  heist::combinable<long> choices_;  // counted by each thread
  std::atomic<long> best_{0};
  std::stop_source stop_;
};

// The serial program computes the best value for every capacity, item by item.
long best_by_table(const std::vector<item>& items, long room) {
  std::vector<long> best(std::size_t(room) + 1);
  for (const item& i : items)
    for (auto b = best.rbegin(); best.rend() - b > i.weight; ++b)
      *b = std::max(*b, *(b + i.weight) + i.value);
  return best.back();
}

}  // namespace

int main() {
  for (const unsigned spread : {100U, 16U, 0U}) {
    std::mt19937 random(spread);
    std::vector<item> items;
    for (int i = 0; i < 100; ++i) {
      const auto weight = long(1000 + random() % 1000);
      items.push_back({weight, spread == 0 ? weight : weight + 100 + long(random() % spread)});
    }
    std::ranges::sort(items,
                      [](item a, item b) { return a.value * b.weight > b.value * a.weight; });
    search s(items, 40'000);
    const long best = s.run();
    const long expected = best_by_table(items, 40'000);
    std::printf("best value %ld after %ld choices%s; by a table %ld\n", best, s.choices(),
                s.was_stopped() ? ", one reached the bound" : "", expected);
    if (best != expected) return 1;
  }
}
