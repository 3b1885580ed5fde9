// The part of a reducer that doesn't depend on its type: its views, which the library merges at
// joins.
#pragma once

#include <cstdint>

#include "heist/detail/export.hpp"

namespace heist::inline v0::detail {

class reducer_base;

// A view of one reducer. The views of one function are a list on its fiber (views.hpp).
struct view_node {
  view_node* next = nullptr;
  reducer_base* reducer = nullptr;
  // While a scope keeps the list: the list of an older child, and which child this one belongs to.
  view_node* next_piece = nullptr;
  std::uint64_t piece = 0;
};

class [[gnu::visibility("default")]] reducer_base {
 public:
  reducer_base(const reducer_base&) = delete;
  reducer_base& operator=(const reducer_base&) = delete;

  // left = left op right; destroys the right view. nullptr for left: the reducer's own value.
  virtual void merge(view_node* left, view_node* right) noexcept = 0;

 protected:
  reducer_base() noexcept = default;
  HEIST_API virtual ~reducer_base();

  // The caller's view, or nullptr if it has none.
  [[nodiscard]] HEIST_API view_node* find() const noexcept;
  // Makes v the caller's view. False on a thread outside any pool, where nothing is done.
  HEIST_API bool adopt(view_node& v) noexcept;
  // Takes its view from the caller; nullptr if it has none.
  HEIST_API view_node* remove() noexcept;
  [[nodiscard]] HEIST_API static bool on_a_fiber() noexcept;
};

}  // namespace heist::inline v0::detail
