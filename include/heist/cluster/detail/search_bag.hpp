// The open nodes of a tree search as a bag.
//
// Protocol of the bound: all bags of a rank share one atomic value, which anybody raises and reads;
// it only grows. Every access is relaxed: it guards nothing, and a stale value costs a visit that
// could have been spared.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "heist/cluster/bag.hpp"

namespace heist::inline v0::cluster::detail {

class shared_bound {
 public:
  [[nodiscard]] std::int64_t value() const { return value_.load(std::memory_order_relaxed); }

  void raise(std::int64_t value) {
    auto seen = value_.load(std::memory_order_relaxed);
    while (value > seen && !value_.compare_exchange_weak(seen, value, std::memory_order_relaxed,
                                                         std::memory_order_relaxed)) {
    }
  }

 private:
  std::atomic<std::int64_t> value_{INT64_MIN};
};

// What the bags of a rank share.
template <class R, class Expand, class Combine>
struct search_base {
  Expand& expand;
  Combine& combine;
  const R& nothing;
  shared_bound bound = {};
};

// What a visit does with the rest of the search.
template <class Node, class R, class Combine>
class search {
 public:
  search(std::vector<Node>& open, R& result, Combine& combine, shared_bound& bound)
      : open_(open), result_(result), combine_(combine), bound_(bound) {}

  void push(Node child) { open_.push_back(std::move(child)); }
  void add(R found) { result_ = combine_(std::move(result_), std::move(found)); }
  // The best value that this rank knows; INT64_MIN: none.
  [[nodiscard]] std::int64_t bound() const { return bound_.value(); }
  void raise_bound(std::int64_t value) { bound_.raise(value); }

 private:
  std::vector<Node>& open_;
  R& result_;
  Combine& combine_;
  shared_bound& bound_;
};

template <class Node, class R, class Expand, class Combine>
class search_bag {
 public:
  using base = search_base<R, Expand, Combine>;

  // Without nodes. `shared` must outlive the bag.
  explicit search_bag(base& shared) : base_(&shared), result_(shared.nothing) {}

  void add(Node root) { open_.push_back(std::move(root)); }

  [[nodiscard]] bool is_empty() const { return open_.empty(); }

  std::uint64_t process(std::uint64_t most) {
    search<Node, R, Combine> rest(open_, *result_, base_->combine, base_->bound);
    std::uint64_t visited = 0;
    for (; visited < most && !open_.empty(); ++visited) {
      const Node next = std::move(open_.back());
      open_.pop_back();
      base_->expand(next, rest);
    }
    return visited;
  }

  // Every other node: of a walk in depth, half of what is open at each level.
  std::optional<search_bag> split() {
    if (open_.size() < 2) return {};
    search_bag other(*base_);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      if (i % 2 == 0)
        other.open_.push_back(std::move(open_[i]));
      else
        open_[kept++] = std::move(open_[i]);
    }
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(kept), open_.end());
    return other;
  }

  void merge(search_bag other) {
    for (auto& each : other.open_) open_.push_back(std::move(each));
    result_ = base_->combine(std::move(*result_), std::move(*other.result_));
    if (other.base_ == nullptr) raise_bound(other.bound_);
  }

  [[nodiscard]] std::int64_t bound() const {
    return base_ != nullptr ? base_->bound.value() : bound_;
  }
  void raise_bound(std::int64_t value) { base_->bound.raise(value); }

  [[nodiscard]] R take_result() { return std::move(*result_); }

  void write(wire_writer& to) const { to.put(open_).put(*result_).put(bound()); }
  [[nodiscard]] static search_bag read(wire_reader& from) {
    search_bag bag;
    bag.open_ = from.get<std::vector<Node>>();
    bag.result_ = from.get<R>();
    bag.bound_ = from.get<std::int64_t>();
    return bag;
  }

 private:
  search_bag() = default;  // of one that came over the wire, until it is merged

  base* base_ = nullptr;
  std::vector<Node> open_;
  std::optional<R> result_;
  std::int64_t bound_ = INT64_MIN;  // without a base
};

}  // namespace heist::inline v0::cluster::detail

template <class Node, class R, class Expand, class Combine>
struct heist::cluster::wire<heist::cluster::detail::search_bag<Node, R, Expand, Combine>> {
  using bag_type = detail::search_bag<Node, R, Expand, Combine>;
  static void write(wire_writer& to, const bag_type& bag) { bag.write(to); }
  static bag_type read(wire_reader& from) { return bag_type::read(from); }
};
