// Reductions and scans of bricks.
//
// Their trees depend on the number of workers, which std's leave open: algorithms that move
// elements when they combine two parts (partition) do so once for each level of the tree.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <heist/chunks.hpp>

#include "loop.hpp"

namespace heist::pstl {

// Where an operation converts its operands, that is the program's affair, as inside of <numeric>.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"

// The least number of elements of a chunk: several chunks for each worker, one if it is alone.
inline std::size_t least_chunk(std::size_t n, std::size_t least) {
  constexpr std::size_t chunks_per_worker = 16;
  const unsigned p = workers();
  const std::size_t chunks = p == 1 ? 1 : p * chunks_per_worker;
  return n / chunks > least ? n / chunks : least;
}

// The least number of elements of a scan's chunk: a chunk costs some 10 ns.
inline constexpr std::size_t least_scanned = 256;

// What combines two values: called by several threads at once, and it must not throw.
template <class Value, class Combine>
auto without_exceptions(Combine& combine) {
  return [&combine](const Value& left, const Value& right) noexcept -> Value {
    return static_cast<Value>(combine(left, right));
  };
}

// brick(f, l, value) goes on from a value.
template <class Index, class Value, class Brick, class Combine>
Value reduce(Index first, Index last, const Value& identity, const Brick& brick,
             const Combine& combine) {
  const span_of<Index> range(first, last);
  return reduce_chunks(
      std::size_t{0}, range.count(), identity,
      [&](std::size_t f, std::size_t l, Value value) noexcept -> Value {
        return brick(range.at(f), range.at(l), std::move(value));
      },
      without_exceptions<Value>(combine), least_chunk(range.count(), 1));
}

// There is no identity: the first chunk goes on from init, every other one from its first two
// elements, so it has at least these.
template <class Index, class Unary, class Value, class Combine, class Brick>
Value transform_reduce(Index first, Index last, const Unary& unary, Value init, Combine& combine,
                       const Brick& brick) {
  const span_of<Index> range(first, last);
  return reduce_chunks(
      std::size_t{0}, range.count(), init,
      [&](std::size_t f, std::size_t l, Value value) noexcept -> Value {
        if (f == 0) return brick(range.at(0), range.at(l), std::move(value));
        Unary own = unary;  // it may change when it is called
        return brick(range.at(f + 2), range.at(l), combine(own(range.at(f)), own(range.at(f + 1))));
      },
      without_exceptions<Value>(combine), least_chunk(range.count(), 2));
}

// put_out(f, l, prefix) returns the prefix of the next chunk.
template <class Index, class Unary, class Value, class Combine, class Sum, class PutOut>
Value transform_scan(Index n, const Unary& unary, Value init, Combine& combine, const Sum& sum,
                     const PutOut& put_out) {
  const span_of<Index> range(Index{0}, n);
  return scan_chunks(
      std::size_t{0}, range.count(), std::move(init),
      [&](std::size_t f, std::size_t l) noexcept -> Value {
        Unary own = unary;
        return sum(range.at(f + 1), range.at(l), static_cast<Value>(own(range.at(f))));
      },
      without_exceptions<Value>(combine),
      [&](std::size_t f, std::size_t l, Value prefix) noexcept -> Value {
        return put_out(range.at(f), range.at(l), std::move(prefix));
      },
      least_scanned);
}

// The same in two passes, with between(total) after all sums and before all output.
template <class Index, class Value, class Sum, class Combine, class PutOut, class Between>
void two_passes(Index n, const Value& init, const Sum& sum, Combine& combine, const PutOut& put_out,
                const Between& between) {
  const span_of<Index> range(Index{0}, n);
  const std::size_t tile = least_chunk(range.count(), 1);
  const std::size_t tiles = (range.count() + tile - 1) / tile;
  std::vector<std::optional<Value>> values(tiles);
  const auto first = [&](std::size_t k) { return range.at(k * tile); };
  const auto length = [&](std::size_t k) {
    return static_cast<Index>((k + 1 == tiles ? range.count() : (k + 1) * tile) - k * tile);
  };
  const auto each = [tiles](const auto& body) {
    parallel_for_chunks(std::size_t{0}, tiles, [&](std::size_t f, std::size_t l) noexcept {
      for (; f != l; ++f) body(f);
    });
  };
  each([&](std::size_t k) { values[k].emplace(sum(first(k), length(k))); });
  Value prefix = init;
  for (auto& value : values) {
    Value next = static_cast<Value>(combine(prefix, *value));
    value.emplace(std::move(prefix));
    prefix = std::move(next);
  }
  between(prefix);
  each([&](std::size_t k) { put_out(first(k), length(k), *values[k]); });
}

// sum(f, length) and put_out(f, length, prefix) are called once for each chunk, in this order.
template <class Index, class Value, class Sum, class Combine, class PutOut, class Between>
void strict_scan(Index n, Value init, const Sum& sum, Combine& combine, const PutOut& put_out,
                 const Between& between) {
  if (n <= 1) {
    between(n == 1 ? static_cast<Value>(combine(init, sum(Index{0}, n))) : init);
    if (n == 1) put_out(Index{0}, n, std::move(init));
  } else if constexpr (std::is_empty_v<Between>) {
    // It has nothing to do: of libstdc++'s, those that do something refer to something. So what is
    // read for its sum is put out while it is in the cache.
    const span_of<Index> range(Index{0}, n);
    between(scan_chunks(
        std::size_t{0}, range.count(), std::move(init),
        [&](std::size_t f, std::size_t l) noexcept -> Value {
          return sum(range.at(f), static_cast<Index>(l - f));
        },
        without_exceptions<Value>(combine),
        [&](std::size_t f, std::size_t l, Value prefix) noexcept {
          put_out(range.at(f), static_cast<Index>(l - f), std::move(prefix));
        },
        least_scanned));
  } else {
    two_passes(n, init, sum, combine, put_out, between);
  }
}

#pragma GCC diagnostic pop

}  // namespace heist::pstl
