// Memory for tasks: small blocks, each from the pool of the thread that allocates it.
//
// A program keeps the pool's address beside the block and gives the block back to that pool, from
// whatever thread. The owner's blocks go to lists of its own, which need no atomic operation; other
// threads push theirs on one stack, which the owner takes as a whole when a list of its own is
// empty.
//
// Roles. The owner: the thread that has the pool now. Others: any thread that frees.
//   free_[k]    the owner's: blocks of (k + 1) * 128 bytes.
//   returned_   others push; the owner exchanges it for nullptr. A stack that is only ever emptied
//               as a whole has no ABA.
//
// A pool outlives its thread, since blocks may come back later: the next new thread takes it over.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

#include "parts/abi.hpp"

namespace heist::inline v0::libtbb {

class small_objects final : public d1::small_object_pool {
 public:
  // A pool that no thread owns, or a new one. Throws std::bad_alloc.
  static small_objects* acquire();
  // Its thread ends.
  static void release(small_objects* pool) noexcept;

  // For the owner. The memory is aligned to 128 bytes, as the original's is. Throws std::bad_alloc.
  void* allocate(std::size_t bytes) {
    if (bytes > largest) [[unlikely]]
      return allocate_large(bytes);
    const std::size_t k = list_of(bytes);
    block* const b = free_[k];
    if (b == nullptr) [[unlikely]]
      return refill(k);
    free_[k] = b->next;
    return b;
  }

  // For the owner.
  void deallocate(void* memory, std::size_t bytes) noexcept {
    if (bytes > largest) [[unlikely]]
      return deallocate_large(memory);
    auto* const b = static_cast<block*>(memory);
    block*& list = free_[list_of(bytes)];
    b->next = list;
    list = b;
  }

  // For all others.
  void give_back(void* memory, std::size_t bytes) noexcept;

 private:
  struct block {
    block* next;
    std::size_t list;  // of one that another thread gave back
  };
  static constexpr std::size_t unit = 128;
  static constexpr std::size_t lists = 4;
  static constexpr std::size_t largest = unit * lists;
  static constexpr std::size_t chunk_bytes = 16 * 1024;

  small_objects() = default;

  static std::size_t list_of(std::size_t bytes) noexcept {
    return bytes == 0 ? 0 : (bytes - 1) / unit;
  }
  static void* allocate_large(std::size_t bytes);
  static void deallocate_large(void* memory) noexcept;
  void* refill(std::size_t list);
  void sort_returned() noexcept;

  std::array<block*, lists> free_{};
  std::byte* chunk_ = nullptr;  // what is left of the newest chunk
  std::byte* chunk_end_ = nullptr;
  small_objects* next_ = nullptr;  // among those that no thread owns
  alignas(128) std::atomic<block*> returned_{nullptr};
};

}  // namespace heist::inline v0::libtbb
