// Loops over chunks of iterators or of numbers.
#pragma once

#include <cstddef>

#include <heist/chunks.hpp>
#include <heist/pool.hpp>

namespace heist::pstl {

// A range of an algorithm, by offsets.
template <class Index>
class span_of {
 public:
  span_of(Index first, Index last) : first_(first), count_(last - first) {}

  [[nodiscard]] std::size_t count() const noexcept {
    return count_ <= 0 ? 0 : static_cast<std::size_t>(count_);
  }
  [[nodiscard]] Index at(std::size_t offset) const {
    return static_cast<Index>(first_ + static_cast<difference>(offset));
  }

 private:
  using difference = decltype(Index{} - Index{});
  Index first_;
  difference count_;
};

// How many workers will run an algorithm that the caller begins. Makes no pool.
inline unsigned workers() {
  const unsigned here = this_worker::workers();
  return here != 0 ? here : default_pool_workers();
}

// brick(f, l) for chunks of the range.
template <class Index, class Brick>
void loop(Index first, Index last, const Brick& brick) {
  const span_of<Index> range(first, last);
  const auto chunk = [&](std::size_t f, std::size_t l) noexcept {
    brick(range.at(f), range.at(l));
  };
  if (range.count() == 1)
    chunk(0, 1);  // without entering a pool
  else
    parallel_for_chunks(std::size_t{0}, range.count(), chunk);
}

}  // namespace heist::pstl
