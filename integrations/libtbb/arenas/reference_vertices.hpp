// A thread's own counters of tasks that others wait for (oneTBB 2021.12 and later).
//
// A vertex counts what is under way below it, and holds a reference to its parent while that is not
// nothing. All threads that spawn into one group would count at one place; so each asks for a
// vertex of its own below the group's (get_thread_reference_vertex), and only its first child and
// its last one reach the parent.
#pragma once

#include <atomic>
#include <cstdint>
#include <unordered_map>

#include "parts/abi.hpp"

namespace heist::inline v0::libtbb {

class reference_vertex final : public d1::wait_tree_vertex_interface {
 public:
  explicit reference_vertex(d1::wait_tree_vertex_interface& parent) noexcept : parent_(parent) {}

  // The parent outlives this call, not this object: its thread may drop it as soon as it counts
  // nothing.
  void reserve(std::uint32_t delta = 1) override;
  void release(std::uint32_t delta = 1) override;

  // By its thread, which doesn't use it again: it ends now, or with its last child.
  void drop() noexcept;
  [[nodiscard]] bool has_children() const noexcept {
    return state_.load(std::memory_order_acquire) != 0;  // partner: release()
  }

 private:
  static constexpr std::uint64_t is_dropped = std::uint64_t{1} << 63;

  d1::wait_tree_vertex_interface& parent_;
  std::atomic<std::uint64_t> state_{0};  // how many children; and is_dropped
};

// Those of one thread, which alone uses it.
class thread_vertices {
 public:
  thread_vertices() = default;
  ~thread_vertices();
  thread_vertices(const thread_vertices&) = delete;
  thread_vertices& operator=(const thread_vertices&) = delete;

  // Throws std::bad_alloc.
  [[nodiscard]] reference_vertex& below(d1::wait_tree_vertex_interface& parent);

 private:
  // With more of them, those that count nothing are dropped.
  static constexpr std::size_t most = 1000;

  std::unordered_map<d1::wait_tree_vertex_interface*, reference_vertex*> own_;
};

}  // namespace heist::inline v0::libtbb
