// A node's bag as the protocol sees it: something to process, halve, merge and write down.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "heist/cluster/bag.hpp"

namespace heist::inline v0::cluster {

using bytes = std::vector<std::byte>;

class work {
 public:
  virtual ~work() = default;

  [[nodiscard]] virtual bool is_empty() const = 0;
  // How many items were processed: at most `most`.
  virtual std::uint64_t process(std::uint64_t most) = 0;
  // Appends half of the items as a bag; false, and nothing happens: there are too few.
  [[nodiscard]] virtual bool split_to(bytes& to) = 0;
  // Appends the whole bag, and keeps it.
  virtual void write_to(bytes& to) const = 0;
  // Throws wire_error if `from` isn't exactly one bag; then nothing happens.
  virtual void merge(std::span<const std::byte> from) = 0;

  // INT64_MIN: no bound is known, or the bag has none.
  [[nodiscard]] virtual std::int64_t bound() const = 0;
  virtual void raise_bound(std::int64_t value) = 0;
};

template <bag Bag>
class work_of final : public work {
 public:
  explicit work_of(Bag first) : bag_(std::move(first)) {}

  [[nodiscard]] Bag& get() { return bag_; }

  [[nodiscard]] bool is_empty() const override { return bag_.is_empty(); }
  std::uint64_t process(std::uint64_t most) override { return bag_.process(most); }

  [[nodiscard]] bool split_to(bytes& to) override {
    auto half = bag_.split();
    if (half) wire_writer(to).put(*half);
    return half.has_value();
  }

  void write_to(bytes& to) const override { wire_writer(to).put(bag_); }

  void merge(std::span<const std::byte> from) override {
    wire_reader reader(from);
    auto other = reader.get<Bag>();
    reader.finish();
    bag_.merge(std::move(other));
  }

  [[nodiscard]] std::int64_t bound() const override {
    if constexpr (bounded_bag<Bag>)
      return bag_.bound();
    else
      return INT64_MIN;
  }

  void raise_bound(std::int64_t value) override {
    if constexpr (bounded_bag<Bag>) bag_.raise_bound(value);
  }

 private:
  Bag bag_;
};

}  // namespace heist::inline v0::cluster
