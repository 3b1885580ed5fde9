// The numbers of a range as a bag: intervals that are still to be processed, and results by the
// interval that they are of. Neighbouring results are combined, the left one first; so the result
// of the whole is in order, no matter who processed what.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "heist/cluster/bag.hpp"

namespace heist::inline v0::cluster::detail {

struct interval {
  std::uint64_t first, last;  // the numbers from `first` to before `last`

  [[nodiscard]] std::uint64_t size() const { return last - first; }
};

template <class R, class Map, class Combine>
class interval_bag {
 public:
  interval_bag() = default;
  // Without items. Both functions must outlive the bag.
  interval_bag(Map& map, Combine& combine) : map_(&map), combine_(&combine) {}

  void add(interval items) {
    if (items.size() != 0) open_.push_back(items);
  }

  [[nodiscard]] bool is_empty() const { return open_.empty(); }

  std::uint64_t process(std::uint64_t most) {
    if (most == 0 || open_.empty()) return 0;
    auto& next = open_.back();
    const interval now{next.first, next.first + std::min(most, next.size())};
    next.first = now.last;
    if (next.size() == 0) open_.pop_back();
    R result = std::invoke(*map_, now.first);
    for (auto i = now.first + 1; i < now.last; ++i)
      result = std::invoke(*combine_, std::move(result), std::invoke(*map_, i));
    keep(now, std::move(result));
    return now.size();
  }

  std::optional<interval_bag> split() {
    std::uint64_t items = 0;
    for (const auto& each : open_) items += each.size();
    if (items < 2) return {};
    interval_bag other(*map_, *combine_);
    auto wanted = items / 2;
    while (wanted >= open_.back().size()) {
      wanted -= open_.back().size();
      other.open_.push_back(open_.back());
      open_.pop_back();
    }
    if (wanted != 0) {
      auto& last = open_.back();
      other.open_.push_back({last.last - wanted, last.last});
      last.last -= wanted;
    }
    return other;
  }

  void merge(interval_bag other) {
    open_.insert(open_.end(), other.open_.begin(), other.open_.end());
    for (auto& [first, part] : other.done_) keep({first, part.first}, std::move(part.second));
  }

  // Of a bag without items that has processed a whole range; nothing if that was empty.
  [[nodiscard]] std::optional<R> take_result() {
    if (done_.empty()) return {};
    return std::move(done_.begin()->second.second);
  }

  void write(wire_writer& to) const { to.put(open_).put(done_); }
  [[nodiscard]] static interval_bag read(wire_reader& from) {
    interval_bag bag;
    bag.open_ = from.get<std::vector<interval>>();
    bag.done_ = from.get<std::map<std::uint64_t, std::pair<std::uint64_t, R>>>();
    for (const auto& each : bag.open_)
      if (each.first >= each.last) throw wire_error("a bag has an interval without numbers");
    return bag;
  }

 private:
  // Combines it with the results of the intervals on both sides.
  void keep(interval of, R result) {
    const auto right = done_.find(of.last);
    if (right != done_.end()) {
      of.last = right->second.first;
      result = std::invoke(*combine_, std::move(result), std::move(right->second.second));
      done_.erase(right);
    }
    const auto after = done_.lower_bound(of.first);
    if (after != done_.begin()) {
      auto& left = std::prev(after)->second;
      if (left.first == of.first) {
        left.first = of.last;
        left.second = std::invoke(*combine_, std::move(left.second), std::move(result));
        return;
      }
    }
    done_.emplace_hint(after, of.first, std::make_pair(of.last, std::move(result)));
  }

  Map* map_ = nullptr;  // not on the wire: the receiver merges into a bag that has both
  Combine* combine_ = nullptr;
  std::vector<interval> open_;
  std::map<std::uint64_t, std::pair<std::uint64_t, R>> done_;  // by the first number
};

}  // namespace heist::inline v0::cluster::detail

template <class R, class Map, class Combine>
struct heist::cluster::wire<heist::cluster::detail::interval_bag<R, Map, Combine>> {
  using bag_type = detail::interval_bag<R, Map, Combine>;
  static void write(wire_writer& to, const bag_type& bag) { bag.write(to); }
  static bag_type read(wire_reader& from) { return bag_type::read(from); }
};
