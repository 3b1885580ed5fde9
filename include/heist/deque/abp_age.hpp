// The age of abp.hpp: top and tag in one word, so that one exchange compares and changes both.
#pragma once

#include <cstdint>

#include "heist/detail/requirements.hpp"

namespace heist::inline v0::deque {

class abp_age {
 public:
  // The greatest top, and max_tag, the greatest tag: 16 and 48 bits.
  static constexpr std::uint32_t max_top = (std::uint32_t{1} << 16) - 1;
  static constexpr std::uint64_t max_tag = (std::uint64_t{1} << 48) - 1;

  constexpr abp_age() noexcept = default;
  // `top` and `tag` must not be greater than those.
  constexpr abp_age(std::uint32_t top, std::uint64_t tag) noexcept : bits_(tag << 16 | top) {}

  // The position of the oldest item.
  [[nodiscard]] constexpr std::uint32_t top() const noexcept {
    return static_cast<std::uint32_t>(bits_ & max_top);
  }
  // How often the owner has emptied the deque.
  [[nodiscard]] constexpr std::uint64_t tag() const noexcept { return bits_ >> 16; }
  // After a steal.
  [[nodiscard]] constexpr abp_age raised() const noexcept { return {top() + 1, tag()}; }
  // After the owner emptied the deque. The tag wraps.
  [[nodiscard]] constexpr abp_age restarted() const noexcept { return {0, (tag() + 1) & max_tag}; }
  friend constexpr bool operator==(abp_age, abp_age) = default;

 private:
  std::uint64_t bits_ = 0;
};

}  // namespace heist::inline v0::deque
