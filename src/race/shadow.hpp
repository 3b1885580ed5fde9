// What is known of each byte of the program's memory: who wrote it last, and who read it.
//
// A cell stands for four bytes that were last written together and read together. Where single
// bytes differ, it names four cells, one for each byte. Where locks were held, it names a list of
// all accesses that still matter (detector::touch_listed). Cells come in chunks, each for 256 KiB
// of memory, as that memory is touched.
#pragma once

#include <cstddef>
#include <cstdint>

#include "race/bags.hpp"
#include "race/reserved.hpp"

namespace heist::inline v0::race {

// The code of an access: its address in the program, or an index for code elsewhere, and how many
// bytes it touches.
using code_id = std::uint32_t;

struct cell {
  // The writer's number, or one of the two marks below, and above it the reader's. They are read
  // together, and that waits if they were written apart.
  using numbers = std::uint64_t;
  numbers both = 0;
  code_id written_by = 0;  // with a mark: an index
  code_id read_by = 0;

  [[nodiscard]] branch_id writer() const noexcept { return static_cast<branch_id>(both); }
  [[nodiscard]] branch_id reader() const noexcept { return static_cast<branch_id>(both >> 32U); }
  void set_reader(branch_id id, code_id by) noexcept {
    both = numbers{id} << 32U | writer();
    read_by = by;
  }
};

inline constexpr branch_id by_bytes = 0xffffffff;
inline constexpr branch_id by_list = 0xfffffffe;
inline constexpr branch_id least_mark = by_list;

class shadow {
 public:
  static constexpr unsigned chunk_bits = 18;
  static constexpr std::size_t chunk_bytes = std::size_t{1} << chunk_bits;
  static constexpr unsigned address_bits = 47;

  struct chunk {
    cell cells[chunk_bytes / 4];
    // For each 16 bytes: where an allocation begins the one that made it, and behind it how many
    // times eight bytes it has, with is_size.
    std::uint32_t allocations[chunk_bytes / 16 + 1];
  };
  static constexpr std::uint32_t is_size = std::uint32_t{1} << 31U;

  [[nodiscard]] bool reserve() noexcept {
    return chunks_.reserve(std::size_t{1} << (address_bits - chunk_bits));
  }
  // nullptr: nothing there was touched.
  [[nodiscard]] chunk* find(std::uintptr_t address) noexcept {
    return chunks_[(address & ((std::uintptr_t{1} << address_bits) - 1)) >> chunk_bits];
  }
  [[nodiscard]] chunk& get(std::uintptr_t address) noexcept {
    chunk* const c = find(address);
    return c != nullptr ? *c : make(address);
  }
  [[nodiscard]] static cell& cell_of(chunk& c, std::uintptr_t address) noexcept {
    return c.cells[(address & (chunk_bytes - 1)) / 4];
  }

 private:
  [[gnu::noinline]] chunk& make(std::uintptr_t address) noexcept;  // detector.cpp

  reserved<chunk*> chunks_;
};

// Cells for single bytes, four at a time, used again.
class byte_cells {
 public:
  [[nodiscard]] bool reserve() noexcept { return cells_.reserve_in_order(std::size_t{4} << 28U); }
  [[nodiscard]] std::uint32_t take() noexcept {
    if (free_ != 0) {
      const std::uint32_t four = free_;
      free_ = cells_[std::size_t{four} * 4].written_by;
      return four;
    }
    return ++used_;
  }
  void give_back(std::uint32_t four) noexcept {
    cells_[std::size_t{four} * 4].written_by = free_;
    free_ = four;
  }
  [[nodiscard]] cell* of(std::uint32_t four) noexcept { return &cells_[std::size_t{four} * 4]; }

 private:
  reserved<cell> cells_;
  std::uint32_t used_ = 0, free_ = 0;
};

}  // namespace heist::inline v0::race
