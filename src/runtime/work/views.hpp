// Views of reducers: which fiber has them, and where they are put together.
//
// A list of views belongs to each fiber, in fiber::views: what the function that runs there, and
// all that it called, has added. In the order of the program it stands for one piece without gaps,
// which ends where the function is now. Where the program continues elsewhere, pieces change hands:
//
//   a thief ends a stolen fork      its fiber began with none; they go into the job's slot, and the
//                                   join puts them to the right of the joining fiber's
//   a root ends                     the same, for the one that waits for it
//   spawn                           the child takes the spawner's, and gives them back when it
//                                   returns to the spawner
//   the spawner's rest was stolen   it begins with none; at the child's end its piece is deposited
//                                   with the scope, under the child's place, and sync puts such
//                                   pieces to the left of the owner's, in order
//
// Any other function has no place in the order, and its views are refused. A thread outside any
// pool has no list: it adds to the reducer itself.
#pragma once

#include <utility>

#include "heist/detail/pushed_child.hpp"
#include "heist/reducer.hpp"
#include "runtime/core/worker.hpp"

namespace heist::inline v0::detail {

// Puts the right list's views to the right of the left list's; returns the whole. Calls the
// reducers' operations.
view_node* merge_views(view_node* left, view_node* right) noexcept;

// Puts the views to the right of the caller's own.
void receive_views(view_node* right) noexcept;

// Takes the views of the running fiber.
inline view_node* leave_views(worker& w) noexcept {
  fiber& me = *w.current;
  view_node* const mine = me.views;
  if (mine != nullptr) [[unlikely]]
    me.views = nullptr;
  return mine;
}

// While a function runs that has no place in the order: keeps the caller's views apart, and refuses
// those that the function leaves.
class views_refused {
 public:
  views_refused() noexcept : views_refused(fiber_here()) {}
  // `running`: the running fiber; nullptr outside any pool.
  explicit views_refused(fiber* running) noexcept : fiber_(running) {
    if (fiber_ != nullptr) kept_ = std::exchange(fiber_->views, nullptr);
  }
  ~views_refused() {
    if (fiber_ == nullptr) return;
    if (fiber_->views != nullptr) [[unlikely]]
      refuse_views();
    fiber_->views = kept_;
  }
  views_refused(const views_refused&) = delete;
  views_refused& operator=(const views_refused&) = delete;

 private:
  fiber* const fiber_;
  view_node* kept_ = nullptr;
};

}  // namespace heist::inline v0::detail
