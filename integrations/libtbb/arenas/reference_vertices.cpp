#include "arenas/reference_vertices.hpp"

#include <memory>

#include "arenas/participant.hpp"

namespace heist::inline v0::libtbb {

// Relaxed: the one that reserves has a reference to the vertex, or is its thread.
void reference_vertex::reserve(std::uint32_t delta) {
  if (state_.fetch_add(delta, std::memory_order_relaxed) == 0) parent_.reserve();
}

// acq_rel: all that was done below comes before the parent's release, and before the end.
void reference_vertex::release(std::uint32_t delta) {
  d1::wait_tree_vertex_interface& parent = parent_;
  const std::uint64_t left = state_.fetch_sub(delta, std::memory_order_acq_rel) - delta;
  if ((left & ~is_dropped) != 0) return;
  if (left == is_dropped) delete this;
  parent.release();
}

void reference_vertex::drop() noexcept {
  if (state_.fetch_add(is_dropped, std::memory_order_acq_rel) == 0) delete this;
}

thread_vertices::~thread_vertices() {
  for (const auto& [parent, mine] : own_) mine->drop();
}

reference_vertex& thread_vertices::below(d1::wait_tree_vertex_interface& parent) {
  if (const auto found = own_.find(&parent); found != own_.end()) return *found->second;
  if (own_.size() >= most)
    std::erase_if(own_, [](const auto& entry) {
      if (entry.second->has_children()) return false;
      entry.second->drop();
      return true;
    });
  auto made = std::make_unique<reference_vertex>(parent);
  own_.emplace(&parent, made.get());
  return *made.release();
}

}  // namespace heist::inline v0::libtbb

namespace tbb::detail::r1 {

d1::wait_tree_vertex_interface* get_thread_reference_vertex(
    d1::wait_tree_vertex_interface* parent) {
  return &heist::libtbb::self().vertices().below(*parent);
}

}  // namespace tbb::detail::r1
