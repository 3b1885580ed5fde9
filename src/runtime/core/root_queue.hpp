// The roots that wait at the entry of a pool, by priority: of each level the oldest first.
//
// A higher level goes before a lower one, but not for ever: a level that was passed over
// `most_passed_over` times in a row is served next, so high-priority work under a flood of its own
// kind keeps at least three quarters of the takes. Where both lower levels are due the higher of
// them is first. Bound: once a level that has roots was passed over eight times, the next take or
// the one after it is from that level, so the n-th root of a level leaves the queue within 10 n
// takes. The bound counts takes, since a function that runs is never interrupted. What waiters take
// out by pop_newest_of() is no take.
//
// A root that belongs to a family is in the family's list too, for the one that waits for it.
//
// Everything is guarded by the mutex of the injection queue.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "heist/detail/root.hpp"

namespace heist::inline v0::detail {

class root_queue {
 public:
  static constexpr unsigned most_passed_over = 8;  // takes from higher levels

  void push(root& r) noexcept {
    level& l = level_of(r);
    r.next = nullptr;
    note_previous(r, l.last);
    (l.first == nullptr ? l.first : l.last->next) = &r;
    l.last = &r;
  }

  [[nodiscard]] bool empty() const noexcept {
    const auto& [high, normal, low] = levels_;
    return normal.first == nullptr && high.first == nullptr && low.first == nullptr;
  }

  [[nodiscard]] bool has(priority p) const noexcept { return at(p).first != nullptr; }
  // How many of that priority were taken so far.
  [[nodiscard]] std::uint64_t taken(priority p) const noexcept { return at(p).taken; }

  // The next one, or nullptr.
  root* pop() noexcept {
    level* const served = choose();
    if (served == nullptr) return nullptr;
    for (level* lower = served + 1; lower != levels_.data() + levels_.size(); ++lower)
      if (lower->first != nullptr && lower->passed_over < most_passed_over) ++lower->passed_over;
    served->passed_over = 0;
    root* const r = served->first;
    take_out(*r, nullptr);
    return r;
  }

  // The newest of the family, or nullptr. It counts for no level as a take.
  root* pop_newest_of(const root_family& family) noexcept {
    family_root* const r = family.newest;
    if (r != nullptr) take_out(*r, r->previous);
    return r;
  }

  // The family's list is for the queue that is its home.
  static void list(family_root& r) noexcept {
    r.is_listed = true;
    r.older = r.family->newest;
    r.newer = nullptr;
    if (r.older != nullptr) r.older->newer = &r;
    r.family->newest = &r;
  }

 private:
  struct level {
    root* first = nullptr;
    root* last = nullptr;
    unsigned passed_over = 0;
    std::uint64_t taken = 0;
  };

  [[nodiscard]] const level& at(priority p) const noexcept {
    return levels_[static_cast<std::size_t>(p)];
  }
  level& level_of(const root& r) noexcept { return levels_[static_cast<std::size_t>(r.urgency)]; }

  static void note_previous(root& r, root* previous) noexcept {
    if (r.is_of_family) static_cast<family_root&>(r).previous = previous;
  }

  void take_out(root& r, root* previous) noexcept {
    level& l = level_of(r);
    ++l.taken;
    (previous == nullptr ? l.first : previous->next) = r.next;
    if (r.next == nullptr)
      l.last = previous;
    else
      note_previous(*r.next, previous);
    if (r.is_listed) unlist(static_cast<family_root&>(r));
  }
  static void unlist(family_root& r) noexcept {
    r.is_listed = false;
    if (r.older != nullptr) r.older->newer = r.newer;
    (r.newer == nullptr ? r.family->newest : r.newer->older) = r.older;
  }

  // The highest level that is due, else the highest that has a root; nullptr: none has.
  level* choose() noexcept {
    level* highest = nullptr;
    for (level& l : levels_) {
      if (l.first == nullptr) continue;
      if (l.passed_over == most_passed_over) return &l;
      if (highest == nullptr) highest = &l;
    }
    return highest;
  }

  std::array<level, 3> levels_;  // high, normal, low, as in heist::priority
};

}  // namespace heist::inline v0::detail
