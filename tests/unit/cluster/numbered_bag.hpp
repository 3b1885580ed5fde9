// A bag whose items are numbers: the one that processes one learns which others it stands for, as
// in a tree that nobody knows beforehand. The result is the list of all numbers that were
// processed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "heist/cluster/bag.hpp"

namespace heist::cluster_test {

struct numbered_bag {
  // Item i stands for those of 3i + 1, 3i + 2 and 3i + 3 that are below `items`.
  std::uint64_t items = 0;
  std::vector<std::uint64_t> open = {};
  std::vector<std::uint64_t> done = {};

  [[nodiscard]] static numbered_bag root(std::uint64_t items) { return {items, {0}, {}}; }

  std::uint64_t process(std::uint64_t most) {
    std::uint64_t processed = 0;
    for (; processed < most && !open.empty(); ++processed) {
      const auto item = open.back();
      open.pop_back();
      done.push_back(item);
      for (std::uint64_t i = 1; i <= 3 && 3 * item + i < items; ++i) open.push_back(3 * item + i);
    }
    return processed;
  }

  [[nodiscard]] bool is_empty() const { return open.empty(); }

  std::optional<numbered_bag> split() {
    if (open.size() < 2) return {};
    const auto half = open.begin() + static_cast<std::ptrdiff_t>(open.size() / 2);
    numbered_bag other{items, {open.begin(), half}, {}};
    open.erase(open.begin(), half);
    return other;
  }

  void merge(numbered_bag other) {
    items = std::max(items, other.items);
    open.insert(open.end(), other.open.begin(), other.open.end());
    done.insert(done.end(), other.done.begin(), other.done.end());
  }

  // Whether each item below `items` was processed once, and nothing is open.
  [[nodiscard]] bool has_each_once() const {
    if (!open.empty()) return false;
    auto sorted = done;
    std::sort(sorted.begin(), sorted.end());
    for (std::uint64_t i = 0; i < sorted.size(); ++i)
      if (sorted[i] != i) return false;
    return sorted.size() == items;
  }

  friend bool operator==(const numbered_bag&, const numbered_bag&) = default;
};

}  // namespace heist::cluster_test

template <>
struct heist::cluster::wire<heist::cluster_test::numbered_bag> {
  static void write(wire_writer& to, const cluster_test::numbered_bag& b) {
    to.put(b.items).put(b.open).put(b.done);
  }
  static cluster_test::numbered_bag read(wire_reader& from) {
    const auto items = from.get<std::uint64_t>();
    auto open = from.get<std::vector<std::uint64_t>>();
    return {items, std::move(open), from.get<std::vector<std::uint64_t>>()};
  }
};
