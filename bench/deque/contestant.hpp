// The measurements that the benchmark makes of any deque.
//
// Each function of a deque_contestant is one measurement with a check: if the sum of the numbers
// taken is not the sum of those pushed, it throws wrong_result. measure.hpp makes these functions
// for any type that has the ends of a deque.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "bench/rounds.hpp"

namespace heist::bench {

struct deque_sizes {
  std::size_t depth;  // pushes in a row, then as many pops
  std::size_t pairs;  // pushes and pops in one measurement without thieves
  clock::duration beside;
  std::size_t fill;  // items that a thief takes until the deque is empty
  std::size_t fills;
  std::size_t memory_items;
};

struct beside_a_thief {
  double ns_an_item;  // the owner's time, for each item that it pushed
  double stolen_a_second;
};

struct emptied_by_a_thief {
  double ns_an_item;
  double items_a_steal;
};

struct deque_memory {
  double empty_bytes;  // with room for 64
  std::size_t items;   // how many items it could hold
  double item_bytes;
};

struct deque_contestant {
  std::string name;
  std::function<double(const deque_sizes&)> alone_ns;  // a push and a pop
  std::function<beside_a_thief(const deque_sizes&)> beside;
  std::function<emptied_by_a_thief(const deque_sizes&)> emptied;
  std::function<emptied_by_a_thief(const deque_sizes&)>
      emptied_by_several;  // none: steals take one at a time
  std::function<std::optional<deque_memory>(const deque_sizes&)> memory;  // nothing: not measurable
};

// moodycamel::ConcurrentQueue behind the ends of a deque; nothing if it is not installed.
[[nodiscard]] std::optional<deque_contestant> concurrent_queue();

}  // namespace heist::bench
