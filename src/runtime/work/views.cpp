#include "runtime/work/views.hpp"

#include <utility>

#include "platform/fatal.hpp"
#include "runtime/work/scope_parts.hpp"

namespace heist::inline v0::detail {

namespace {

view_node* find_in(view_node* list, const reducer_base* r) noexcept {
  while (list != nullptr && list->reducer != r) list = list->next;
  return list;
}

}  // namespace

reducer_base::~reducer_base() = default;

bool reducer_base::on_a_fiber() noexcept { return fiber_here() != nullptr; }

view_node* reducer_base::find() const noexcept {
  fiber* const f = fiber_here();
  return f == nullptr ? nullptr : find_in(f->views, this);
}

bool reducer_base::adopt(view_node& v) noexcept {
  fiber* const f = fiber_here();
  if (f == nullptr) return false;
  v.next = std::exchange(f->views, &v);
  return true;
}

view_node* reducer_base::remove() noexcept {
  fiber* const f = fiber_here();
  if (f == nullptr) return nullptr;
  view_node** at = &f->views;
  while (*at != nullptr && (*at)->reducer != this) at = &(*at)->next;
  view_node* const found = *at;
  if (found != nullptr) *at = found->next;
  return found;
}

view_node* merge_views(view_node* left, view_node* right) noexcept {
  if (left == nullptr) return right;
  while (right != nullptr) {
    view_node* const v = right;
    right = v->next;
    if (view_node* const before = find_in(left, v->reducer))
      v->reducer->merge(before, v);
    else
      v->next = std::exchange(left, v);
  }
  return left;
}

void receive_views(view_node* right) noexcept {
  if (fiber* const f = fiber_here()) {
    // A reducer's operation may use reducers, too.
    view_node* const merged = merge_views(std::exchange(f->views, nullptr), right);
    f->views = merge_views(merged, f->views);
    return;
  }
  while (right != nullptr) {
    view_node* const v = right;
    right = v->next;
    v->reducer->merge(nullptr, v);
  }
}

void refuse_views() noexcept {
  platform::fatal(
      "a reducer was used in a function that has no place in the order of the program "
      "(submitted, a job, a task, a child of spawn_kind::child or of another child's scope)");
}

// The piece of a child whose spawner was stolen hangs on its first view: there may be no memory for
// anything else.
void scope_state::deposit(std::uint64_t key, view_node* views) noexcept {
  if (key == foreign_key || pushes()) refuse_views();
  const keeping hold(word_);
  if (!hold.has(has_deposits)) deposits_ = nullptr;
  view_node** at = &deposits_;  // the newest first: these are merged first
  while (*at != nullptr && (*at)->piece > key) at = &(*at)->next_piece;
  views->piece = key;
  views->next_piece = *at;
  *at = views;
  word_.fetch_or(has_deposits, std::memory_order_relaxed);  // relaxed: as has_failed
}

void scope_state::merge_deposits() noexcept {
  word_.fetch_and(~std::uint64_t{has_deposits}, std::memory_order_relaxed);
  // All children have ended, so no lock is needed.
  view_node* views = std::exchange(deposits_, nullptr);
  fiber& owner = *self_worker().current;
  while (views != nullptr) {
    view_node* const older = views->next_piece;
    owner.views = merge_views(views, owner.views);
    views = older;
  }
}

}  // namespace heist::inline v0::detail
