// How a number of indices is cut into chunks that don't depend on the workers.
#pragma once

#include <cstddef>

#include "heist/detail/requirements.hpp"

namespace heist::inline v0::detail {

// Chunks whose lengths differ by 1 at most, the longer ones first. Members as in leaf_cut.
struct chunk_cut {
  // n / each chunks, at least one: none has fewer than `each` elements unless n is less. each > 0.
  constexpr chunk_cut(std::size_t n, std::size_t each) noexcept
      : elements(n), chunks(n < each ? 1 : n / each), size(n / chunks), longer(n % chunks) {}

  [[nodiscard]] constexpr std::size_t count() const noexcept { return chunks; }
  [[nodiscard]] constexpr std::size_t size_of(std::size_t chunk) const noexcept {
    return size + (chunk < longer ? 1 : 0);
  }
  [[nodiscard]] constexpr std::size_t first(std::size_t chunk) const noexcept {
    return chunk * size + (chunk < longer ? chunk : longer);
  }
  [[nodiscard]] constexpr std::size_t last(std::size_t chunk) const noexcept {
    return first(chunk + 1);
  }

  std::size_t elements;
  std::size_t chunks;
  std::size_t size;    // of the shorter ones
  std::size_t longer;  // how many have one element more
};

// For a reduction: 64 chunks or so, or chunks of 2048 elements.
constexpr chunk_cut cut_to_fold(std::size_t n, std::size_t least) noexcept {
  constexpr std::size_t max_size = 2048;
  std::size_t size = n / 64 < max_size ? n / 64 : max_size;
  if (size < 1) size = 1;
  return {n, size < least ? least : size};
}

// About as many chunks as each of them has elements, at most 1024.
constexpr std::size_t scan_leaf(std::size_t n) noexcept {
  std::size_t root = 1;
  while (root < 1024 && (root + 1) * (root + 1) <= n) ++root;
  return root;
}
constexpr chunk_cut cut_to_scan(std::size_t n, std::size_t least) noexcept {
  const std::size_t size = scan_leaf(n);
  return {n, size < least ? least : size};
}

}  // namespace heist::inline v0::detail
