// What has been found since the bags last changed: most accesses ask for the same few numbers of
// branches again.
#pragma once

#include <array>
#include <cstdint>

#include "race/bags.hpp"
#include "race/shadow.hpp"

namespace heist::inline v0::race {

class verdicts {
 public:
  // What was done under that number precedes what is done now.
  void keep_serial(branch_id id) noexcept { serial_[id % serial_.size()] = {id, now_}; }
  [[nodiscard]] bool is_serial(branch_id id) const noexcept {
    return serial_[id % serial_.size()] == entry{id, now_};
  }
  // A read under the current number races with nothing, and changes nothing in a cell that has
  // these two.
  void keep_read(cell::numbers n) noexcept { read_[place(n)] = {n, reads_now_}; }
  [[nodiscard]] bool is_read(cell::numbers n) const noexcept {
    return read_[place(n)] == entry{n, reads_now_};
  }
  void forget() noexcept {
    ++now_;
    ++reads_now_;
  }
  void forget_reads() noexcept { ++reads_now_; }

 private:
  struct entry {
    std::uint64_t of = 0;
    std::uint64_t when = 0;

    bool operator==(const entry&) const = default;
  };
  [[nodiscard]] static std::size_t place(cell::numbers n) noexcept { return (n ^ n >> 32U) % 32; }

  std::uint64_t now_ = 1, reads_now_ = 1;
  std::array<entry, 32> serial_{}, read_{};
};

}  // namespace heist::inline v0::race
