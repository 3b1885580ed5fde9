// The branches of the detector: where they begin, end and are joined, whose views of reducers they
// have, and which locks they hold.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <utility>

#include <unistd.h>

#include "heist/detail/race.hpp"
#include "race/detector.hpp"
#include "race/report.hpp"

namespace heist::inline v0::race {

// Two with one number are called from one place, as far as the last two calls say.
std::uint32_t detector::number_of_beginning(unsigned kind, std::uintptr_t from) noexcept {
  const std::size_t depth = std::min(depth_, most_calls);
  const auto call = [&](std::size_t i) { return i < depth ? calls_[depth - 1 - i] : 0; };
  constexpr std::uint64_t factor = 0x9E3779B97F4A7C15u;
  const std::uint64_t key = ((from * 16 + kind) * factor + call(0)) * factor + call(1);
  auto& last = last_beginnings_[key % last_beginnings_.size()];
  if (last.first == key) [[likely]]
    return last.second;
  const apart own;
  const auto [at, is_new] =
      beginning_numbers_.try_emplace(key, static_cast<std::uint32_t>(beginnings_.size()));
  if (is_new) {
    beginning& b = beginnings_.emplace_back();
    b.kind = kind;
    b.from[0] = from;
    for (std::size_t i = 1; i < b.from.size(); ++i) b.from[i] = call(i - 1);
  }
  last = *at;
  return at->second;
}

void detector::need_number() const noexcept {
  if (bags_.count() + 1 >= bags::most)
    reports::give_up("more branches than can be told apart (2^28)", 0);
}

void detector::begin_branch(std::uint32_t* bag, unsigned kind, std::uint64_t index,
                            std::uintptr_t from, std::uintptr_t stack, bool is_loose) noexcept {
  need_number();
  const std::uint32_t how = number_of_beginning(kind, from);
  const branch_id id = bags_.open({top_->own, how, index}, is_loose);
  if (is_loose) verdicts_.forget();
  top_->lowest = lowest_;
  top_->depth = depth_;
  if (++top_ == open_.data() + open_.size()) [[unlikely]] {
    const apart own;
    top_ = &open_.emplace_back();
  }
  top_->begin(id, bag, stack, top_[-1].received);
  lowest_ = stack;
  use_number(id);
  locked_ = false;
  find_private();
}

void detector::open_branch::begin(branch_id id, std::uint32_t* its_bag, std::uintptr_t its_stack,
                                  const clock_ref& received_before) noexcept {
  own = plain = id;
  bag = its_bag;
  stack = its_stack;
  lockset = unjoined = 0;
  of_object = has_loose = has_sent = false;
  received = received_before;
  aliases.clear();
}

// What its frames held is gone: others use that memory again.
void detector::end_branch() noexcept {
  verdicts_.forget();
  const open_branch& ended = *top_;
  const bool is_first = *ended.bag == 0;
  clear(lowest_, ended.stack);
  *ended.bag = bags_.end(ended.own, *ended.bag);
  --top_;
  if (ended.received != top_->received && ended.received) [[unlikely]] {
    const apart own;
    clock_ref& all = received_in_[*ended.bag];
    all = merged(all, ended.received);
  }
  if (ended.of_object || ended.has_loose) top_->has_loose = true;
  if (!ended.of_object && is_first) ++top_->unjoined;
  find_private();
  if (!views_.empty()) hand_up_views(ended.own);
  lowest_ = std::min(top_->lowest, ended.stack);  // it may have touched frames above its own
  depth_ = top_->depth;
  if (ended.has_sent) [[unlikely]] {
    top_->has_sent = true;
    renumber();
  } else {
    use_lockset(top_->lockset);
  }
}

void detector::hand_up_views(branch_id ended) noexcept {
  const apart own;
  const auto at = views_.find(ended);
  if (at == views_.end()) return;
  const auto handed = std::move(at->second);
  views_.erase(at);
  auto& above = views_[top_->own];
  for (const auto& [reducer, views] : handed) {
    views_of_reducer& to = above[reducer];
    to.all.insert(to.all.end(), views.all.begin() + static_cast<std::ptrdiff_t>(views.taken),
                  views.all.end());
    to.last_is_own = false;
  }
}

void detector::join(std::uint32_t* bag) noexcept {
  verdicts_.forget();
  if (*bag != 0) bags_.join(top_->own, *bag);
  if (!received_in_.empty()) [[unlikely]] {
    const apart own;
    if (const auto at = received_in_.find(*bag); at != received_in_.end()) {
      receive(at->second);
      received_in_.erase(at);
    }
  }
  *bag = 0;
}

void detector::join_own(std::uint32_t* bag) noexcept {
  if (*bag != 0) --top_->unjoined;
  join(bag);
  find_private();
}

void detector::begin_branch_of(const void* object, unsigned kind, std::uint64_t index,
                               std::uintptr_t from, std::uintptr_t stack) noexcept {
  std::uint32_t* bag = nullptr;
  {
    const apart own;
    bag = &object_bags_[object];
    // A future has one branch: what else has this key was at the same address, and nobody waited.
    if (kind == static_cast<unsigned>(detail::race::kind::future)) {
      *bag = 0;
      messages_.erase(object);
    }
  }
  begin_branch(bag, kind, index, from, stack, true);
  top_->of_object = true;
}

void detector::join(const void* object) noexcept {
  verdicts_.forget();
  const apart own;
  if (const auto at = object_bags_.find(object); at != object_bags_.end()) {
    join(&at->second);
    object_bags_.erase(at);
  } else if (!messages_.empty()) {
    order(object, detail::race::message::heard);
  }
  graphs_.erase(object);
  if (const auto at = members_.find(object); at != members_.end()) {
    const std::vector<const void*> all = std::move(at->second);
    members_.erase(at);
    for (const void* each : all) join(each);
  }
}

void detector::belong(const void* object, const void* owner) noexcept {
  const apart own;
  members_[owner].push_back(object);
}

// ---- Views.

namespace {

// Whether the process has half of the machine's memory.
bool is_memory_short() noexcept {
  std::FILE* const file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return false;
  long pages = 0, resident = 0;
  const bool is_read = std::fscanf(file, "%ld %ld", &pages, &resident) == 2;
  std::fclose(file);
  return is_read && resident > ::sysconf(_SC_PHYS_PAGES) / 2;
}

}  // namespace

void* detector::view(const void* reducer) noexcept {
  const auto mine = views_.find(top_->own);
  if (mine == views_.end()) return nullptr;
  const auto at = mine->second.find(reducer);
  return at != mine->second.end() && at->second.last_is_own ? at->second.all.back() : nullptr;
}

void detector::add_view(const void* reducer, void* view) {
  const apart own;
  if (++views_made_ % 64 == 0 && is_memory_short())
    reports::give_up(
        "combinables, reducers and worker_locals, which have a value for each branch "
        "that uses them, fill half of the memory",
        0);
  views_of_reducer& mine = views_[top_->own][reducer];
  mine.all.push_back(view);
  mine.last_is_own = true;
}

void* detector::take_view(const void* reducer) noexcept {
  const apart own;
  const auto mine = views_.find(top_->own);
  if (mine == views_.end()) return nullptr;
  const auto at = mine->second.find(reducer);
  if (at == mine->second.end()) return nullptr;
  views_of_reducer& views = at->second;
  void* const leftmost = views.all[views.taken++];
  if (views.taken == views.all.size()) mine->second.erase(at);
  return leftmost;
}

void detector::begin_static() noexcept {
  if (statics_++ != 0) return;
  before_static_ = current_;
  locked_before_static_ = locked_;
  use_number(root);  // precedes everything
  locked_ = false;
}

void detector::end_static() noexcept {
  if (--statics_ != 0) return;
  use_number(before_static_);
  locked_ = locked_before_static_;
}

// ---- Locks.

std::uint32_t detector::number_of_set(lock_set locks) {
  const auto [at, is_new] =
      lockset_numbers_.try_emplace(std::move(locks), static_cast<std::uint32_t>(locksets_.size()));
  if (is_new) locksets_.push_back(at->first);
  return at->second;
}

// Kept as a multiset: a recursive lock counts.
std::uint32_t detector::lockset_with(std::uint32_t set, std::uintptr_t lock) {
  lock_set locks = locksets_[set];
  locks.insert(std::lower_bound(locks.begin(), locks.end(), lock), lock);
  return number_of_set(std::move(locks));
}

std::uint32_t detector::lockset_without(std::uint32_t set, std::uintptr_t lock) {
  lock_set locks = locksets_[set];
  const auto at = std::lower_bound(locks.begin(), locks.end(), lock);
  if (at == locks.end() || *at != lock) return set;
  locks.erase(at);
  return number_of_set(std::move(locks));
}

void detector::use_lockset(std::uint32_t set) noexcept {
  top_->lockset = set;
  locked_ = set != 0;
  if (set == 0) {
    use_number(top_->plain);
    return;
  }
  for (const auto& [locks, alias] : top_->aliases) {
    if (locks != set) continue;
    use_number(alias);
    return;
  }
  const apart own;
  need_number();
  use_number(bags_.alias(top_->own));
  top_->aliases.emplace_back(set, current_);
}

void detector::take(const void* lock, bool shared) noexcept {
  const apart own;
  use_lockset(lockset_with(top_->lockset,
                           reinterpret_cast<std::uintptr_t>(lock) | (shared ? with_others : 0)));
}

void detector::drop(const void* lock) noexcept {
  const apart own;
  const auto number = reinterpret_cast<std::uintptr_t>(lock);
  const std::uint32_t without = lockset_without(top_->lockset, number);
  use_lockset(without != top_->lockset ? without
                                       : lockset_without(top_->lockset, number | with_others));
}

}  // namespace heist::inline v0::race
